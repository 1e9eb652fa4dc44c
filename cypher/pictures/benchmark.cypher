// Picture: the contest on a benchmark
// What is evaluated on a benchmark, and which of it improves over which.
// benchmark (string): the benchmark or dataset, by any of its names
// :param benchmark => "GLUE"
// limit (integer, optional): the most contestants to show
// :param limit => 50
MATCH (b:Entity)
WHERE any(name IN b.names WHERE toLower(name) = toLower($benchmark))
MATCH on = (x)-[r:EVALUATES_ON]->(b)
WITH b, x, on
ORDER BY r.belief DESC, r.papers DESC, r.id
LIMIT $limit
OPTIONAL MATCH over = (x)-[:IMPROVES_OVER]->(y:Entity)
RETURN on, over;
