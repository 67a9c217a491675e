"""What a change of a manifest means: two compiled manifests, held against each other."""
