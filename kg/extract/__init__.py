"""Extract: from the text of one paper to its records."""
