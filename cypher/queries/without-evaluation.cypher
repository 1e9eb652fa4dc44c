// Methods without evaluation
// Methods and models that a paper introduces, of which no paper states an evaluation or reports a
// figure on a benchmark or dataset.
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (p:Paper)-[:INTRODUCES]->(m:Entity)
WHERE (m:Method OR m:Model) AND NOT EXISTS { (m)-[:EVALUATES_ON]->(:Entity) }
  AND NOT EXISTS { (m)<-[:OF]-(:Result)-[:ON]->(:Entity) }
RETURN m.name AS name, m.type AS type, m.papers AS papers, p.id AS paper, p.date AS date
ORDER BY name, m.key, paper
LIMIT $limit;
