// What was introduced when
// Entities that papers put forward as their own, the newest first.
// type (string, optional): only this type: Method, Model, Dataset, Benchmark, Task or Metric
// :param type => null
// since (integer, optional): only from this year on
// :param since => null
// limit (integer, optional): the most rows to give
// :param limit => 50
MATCH (p:Paper)-[:INTRODUCES]->(e:Entity)
WHERE ($type IS NULL OR toLower(e.type) = toLower($type)) AND ($since IS NULL OR p.year >= $since)
RETURN p.date AS date, e.name AS name, e.type AS type, p.id AS paper, p.name AS title
ORDER BY coalesce(date, '') DESC, name, paper, e.key
LIMIT $limit;
