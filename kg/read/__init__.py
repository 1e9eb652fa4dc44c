"""Read: one reader for each format that people have."""
