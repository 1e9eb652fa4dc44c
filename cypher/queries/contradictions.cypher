// Contradictions
// Pairs that are each said to improve over the other, and statements that one passage makes and
// another denies.
// limit (integer, optional): the most rows to give
// :param limit => 100
CALL () {
  MATCH (a:Entity)-[there:IMPROVES_OVER]->(b:Entity)-[back:IMPROVES_OVER]->(a)
  WHERE a.key < b.key
  RETURN 'each over the other' AS kind, a.name AS subject, 'improves-over' AS predicate,
         b.name AS object, there.papers AS papers_for, back.papers AS papers_against,
         there.id AS statement
  UNION
  MATCH (s:Statement)-[:SUBJECT]->(a)
  MATCH (s)-[:OBJECT]->(b)
  WHERE s.asserted AND s.negated > 0
  MATCH (p:Paper)-[t:STATES]->(s)
  WHERE t.negated
  WITH s, a, b, count(DISTINCT p) AS against
  RETURN 'asserted and denied' AS kind, a.name AS subject, s.predicate AS predicate,
         b.name AS object, s.papers AS papers_for, against AS papers_against, s.id AS statement
}
RETURN kind, subject, predicate, object, papers_for, papers_against, statement
ORDER BY kind, subject, predicate, object, statement
LIMIT $limit;
