"""From a manifest without errors to the immutable plan of its run."""
