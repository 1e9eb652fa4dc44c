// What improves over X
// Everything that a paper says does better than X, with the passage, and the benchmarks on which
// the same paper reports figures of it. What a person rejected is left out; what a person accepted
// is there even if no paper says it plainly.
// name (string): the method or model X, by any of its names
// :param name => "BERT"
// limit (integer, optional): the most rows to give
// :param limit => 50
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
MATCH (p:Paper)-[t:STATES]->(s:Statement)-[:OBJECT]->(x)
WHERE s.predicate = 'improves-over' AND s.asserted
  AND (s.papers = 0 OR NOT t.negated AND NOT t.hedged)
MATCH (s)-[:SUBJECT]->(a)
CALL (p, a) {
  MATCH (p)-[:REPORTS]->(r:Result)-[:OF]->(a)
  MATCH (r)-[:ON]->(b:Entity)
  WITH DISTINCT b.name AS name
  ORDER BY name
  RETURN collect(name) AS benchmarks
}
RETURN a.name AS better, x.name AS than, benchmarks, s.belief AS belief, s.papers AS papers,
       p.id AS paper, p.date AS date, t.sentence AS sentence
ORDER BY belief DESC, better, coalesce(date, ''), paper, t.start, t.id
LIMIT $limit;
