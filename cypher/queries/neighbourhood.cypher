// Neighbourhood of X
// Everything that is stated about X and plainly so, in either direction, the surest first.
// name (string): any entity X, by any of its names
// :param name => "AlphaNet"
// limit (integer, optional): the most rows to give
// :param limit => 100
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
CALL (x) {
  MATCH (s:Statement)-[:SUBJECT]->(x)
  MATCH (s)-[:OBJECT]->(o)
  WHERE s.asserted
  RETURN s.predicate AS predicate, 'out' AS direction, o.name AS other, s.belief AS belief,
         s.papers AS papers, s.id AS statement
  UNION
  MATCH (s:Statement)-[:OBJECT]->(x)
  MATCH (s)-[:SUBJECT]->(o)
  WHERE s.asserted
  RETURN s.predicate AS predicate, 'in' AS direction, o.name AS other, s.belief AS belief,
         s.papers AS papers, s.id AS statement
}
RETURN x.name AS name, direction, predicate, other, belief, papers, statement
ORDER BY name, belief DESC, direction DESC, predicate, other, statement
LIMIT $limit;
