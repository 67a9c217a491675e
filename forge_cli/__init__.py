"""forge: delegation manifests, validated, run under contract, with evidence."""

__version__ = "0.1.0"
