// Trend of X by year
// In each year, how many papers mention X, of how many that have a date, and the share.
// name (string): any entity X, by any of its names
// :param name => "BERT"
MATCH (q:Paper)
WHERE q.year IS NOT NULL
WITH q.year AS year, count(q) AS all_papers
CALL (year) {
  MATCH (p:Paper)-[:MENTIONS]->(x:Entity)
  WHERE p.year = year AND any(name IN x.names WHERE toLower(name) = toLower($name))
  RETURN count(DISTINCT p) AS papers
}
RETURN year, papers, all_papers, round(1.0 * papers / all_papers, 4) AS share
ORDER BY year;
