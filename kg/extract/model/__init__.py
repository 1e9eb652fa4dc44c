"""The trained extractor's run time: ONNX Runtime and numpy, no training framework.

The way of a text: `features` (what is known of its words) and `reading` (arrays for the network's
first half), `grouping` (which spans, and which name one thing), `nodes` (arrays for the second
half), `decode` (thresholds, schema, passages). `extractor.Extractor` puts them together; how the
network is trained stands in ``training/`` of the repository.
"""
