"""The sample's own test runs where the sample is installed, which is not here."""

collect_ignore = ["sample_plugin"]
