// Strongest claims
// Statements by belief, which grows with the number of papers that state them.
// predicate (string, optional): only this one, such as improves-over
// :param predicate => null
// limit (integer, optional): the most rows to give
// :param limit => 25
MATCH (s:Statement)-[:SUBJECT]->(a)
MATCH (s)-[:OBJECT]->(b)
WHERE s.asserted
  AND ($predicate IS NULL OR s.predicate = replace(toLower($predicate), '_', '-'))
RETURN a.name AS subject, s.predicate AS predicate, b.name AS object, s.belief AS belief,
       s.papers AS papers, s.evidence AS passages, s.id AS statement
ORDER BY belief DESC, papers DESC, subject, predicate, object, statement
LIMIT $limit;
