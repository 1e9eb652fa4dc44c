// Picture: who says what about X
// The statements about X with the papers that make or deny them. Click on STATES for the passage.
// name (string): any entity X, by any of its names
// :param name => "BERT"
// limit (integer, optional): the most passages to show
// :param limit => 50
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
MATCH (s:Statement)-[:SUBJECT|OBJECT]->(x)
MATCH said = (p:Paper)-[t:STATES]->(s)
MATCH about = (a)<-[:SUBJECT]-(s)-[:OBJECT]->(b)
RETURN said, about
ORDER BY s.belief DESC, p.id, t.id
LIMIT $limit;
