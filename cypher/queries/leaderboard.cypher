// Leaderboard of a benchmark
// The figures that papers report on a benchmark, the highest first within each metric and unit.
// Factors ("2x faster") are no scores and are left out. For a metric that shall be low, such as
// perplexity, read the table from its end.
// benchmark (string): the benchmark or dataset, by any of its names
// :param benchmark => "GLUE"
// metric (string, optional): only this metric, by any of its names
// :param metric => null
// limit (integer, optional): the most rows to give
// :param limit => 25
MATCH (b:Entity)
WHERE any(name IN b.names WHERE toLower(name) = toLower($benchmark))
MATCH (p:Paper)-[:REPORTS]->(r:Result)-[:ON]->(b)
WHERE r.value IS NOT NULL AND coalesce(r.unit, '') <> 'x'
OPTIONAL MATCH (r)-[:OF]->(e:Entity)
OPTIONAL MATCH (r)-[:MEASURED_BY]->(m:Entity)
OPTIONAL MATCH (r)-[:AGAINST]->(base:Entity)
WITH p, r, b, e, m, base
WHERE $metric IS NULL OR any(name IN m.names WHERE toLower(name) = toLower($metric))
RETURN b.name AS benchmark, m.name AS metric, r.unit AS unit, r.value AS value,
       coalesce(e.name, p.name) AS subject, base.name AS baseline, r.delta AS delta,
       p.id AS paper, p.date AS date, r.sentence AS sentence
ORDER BY benchmark, coalesce(metric, ''), coalesce(unit, ''), value DESC, subject, r.id
LIMIT $limit;
