// Most used benchmarks
// Benchmarks and datasets by the number of methods, models and unnamed contributions that are
// evaluated on them, with the number of papers that mention them.
// limit (integer, optional): the most rows to give
// :param limit => 25
MATCH (s)-[r:EVALUATES_ON]->(b:Entity)
WITH b, count(DISTINCT s) AS evaluated, max(r.belief) AS strongest
RETURN b.name AS benchmark, b.type AS type, evaluated, b.papers AS papers, strongest
ORDER BY evaluated DESC, papers DESC, benchmark, b.key
LIMIT $limit;
