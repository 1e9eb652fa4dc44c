// Picture: the lineage of X
// What X builds on and what builds on it, up to four steps each way.
// name (string): the method, model, dataset or benchmark X, by any of its names
// :param name => "BERT"
// limit (integer, optional): the most ways to show
// :param limit => 100
MATCH (x:Entity)
WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
CALL (x) {
  MATCH way = (x)-[:BUILDS_ON*1..4]->(:Entity)
  RETURN way
  UNION
  MATCH way = (x)<-[:BUILDS_ON*1..4]-()
  RETURN way
}
RETURN way
ORDER BY length(way), [node IN nodes(way) | node.name]
LIMIT $limit;
