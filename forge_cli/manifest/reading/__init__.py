"""From bytes to plain data, within limits, and from paths of the data back to places."""
