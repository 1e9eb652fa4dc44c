// Figures of a method
// Every figure that papers report of a method or model, with benchmark, metric and baseline.
// name (string): the method or model, by any of its names
// :param name => "AlphaNet"
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
MATCH (p:Paper)-[:REPORTS]->(r:Result)-[:OF]->(x)
OPTIONAL MATCH (r)-[:ON]->(b:Entity)
OPTIONAL MATCH (r)-[:MEASURED_BY]->(m:Entity)
OPTIONAL MATCH (r)-[:AGAINST]->(base:Entity)
RETURN x.name AS subject, b.name AS benchmark, m.name AS metric, r.value AS value,
       r.delta AS delta, r.direction AS direction, r.unit AS unit, base.name AS baseline,
       r.baseline_value AS baseline_value, p.id AS paper, p.date AS date,
       r.sentence AS sentence
ORDER BY subject, coalesce(benchmark, ''), coalesce(metric, ''), coalesce(date, ''), paper,
         r.start, r.id
LIMIT $limit;
