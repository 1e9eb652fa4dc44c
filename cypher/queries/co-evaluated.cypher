// Benchmarks used together with X
// Other benchmarks and datasets on which the same methods and models are evaluated.
// benchmark (string): the benchmark or dataset X, by any of its names
// :param benchmark => "GLUE"
// limit (integer, optional): the most rows to give
// :param limit => 25
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($benchmark))
MATCH (s)-[:EVALUATES_ON]->(x)
MATCH (s)-[:EVALUATES_ON]->(o:Entity)
WHERE o.key <> x.key
WITH DISTINCT x, o, s, s.name AS subject
ORDER BY subject
WITH x, o, collect(subject) AS subjects
RETURN x.name AS benchmark, o.name AS together, size(subjects) AS times, subjects
ORDER BY times DESC, together, o.key
LIMIT $limit;
