// Trend of X by year
// In each year, how many papers mention X, of how many that have a date, and the share.
// name (string): any entity X, by any of its names
// :param name => "BERT"
MATCH (p:Paper)
WHERE p.year IS NOT NULL
WITH p.year AS year, CASE WHEN EXISTS {
       MATCH (p)-[:MENTIONS]->(x:Entity)
       WHERE any(name IN x.names WHERE toLower(name) = toLower($name))
     } THEN 1 ELSE 0 END AS mentions
WITH year, sum(mentions) AS papers, count(*) AS all_papers
RETURN year, papers, all_papers, round(1.0 * papers / all_papers, 4) AS share
ORDER BY year;
