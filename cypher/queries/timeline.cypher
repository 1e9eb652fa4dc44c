// Timeline of X
// Every passage that states something about X, the oldest first, papers without a date at the end.
// name (string): any entity X, by any of its names
// :param name => "BERT"
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
MATCH (s:Statement)-[:SUBJECT|OBJECT]->(x)
MATCH (p:Paper)-[t:STATES]->(s)
RETURN p.date AS date, s.name AS statement, t.negated AS negated, t.hedged AS hedged,
       s.belief AS belief, p.id AS paper, t.sentence AS sentence
ORDER BY coalesce(date, '9999'), paper, t.start, statement, t.id
LIMIT $limit;
