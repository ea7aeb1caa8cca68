-- Queries after the manner of TPC-H, over the tables of data.sql. A line `-- name: NAME` begins each.

-- name: summary, 1,000 rows
SELECT returned, status, sum(quantity), sum(price), sum(price * (1 - discount)),
       sum(price * (1 - discount) * (1 + tax)), avg(quantity), avg(price), avg(discount), count(*)
FROM lines_1k WHERE shipped <= date '1998-09-02' GROUP BY returned, status ORDER BY returned, status;

-- name: summary, 20,000 rows
SELECT returned, status, sum(quantity), sum(price), sum(price * (1 - discount)),
       sum(price * (1 - discount) * (1 + tax)), avg(quantity), avg(price), avg(discount), count(*)
FROM lines_20k WHERE shipped <= date '1998-09-02' GROUP BY returned, status ORDER BY returned, status;

-- name: summary, 200,000 rows
SELECT returned, status, sum(quantity), sum(price), sum(price * (1 - discount)),
       sum(price * (1 - discount) * (1 + tax)), avg(quantity), avg(price), avg(discount), count(*)
FROM lines_200k WHERE shipped <= date '1998-09-02' GROUP BY returned, status ORDER BY returned, status;

-- name: summary, 2 million rows
SELECT returned, status, sum(quantity), sum(price), sum(price * (1 - discount)),
       sum(price * (1 - discount) * (1 + tax)), avg(quantity), avg(price), avg(discount), count(*)
FROM lines_2m WHERE shipped <= date '1998-09-02' GROUP BY returned, status ORDER BY returned, status;

-- name: filter, 1,000 rows
SELECT sum(price * discount) FROM lines_1k
WHERE shipped >= date '1994-01-01' AND shipped < date '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24;

-- name: filter, 20,000 rows
SELECT sum(price * discount) FROM lines_20k
WHERE shipped >= date '1994-01-01' AND shipped < date '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24;

-- name: filter, 200,000 rows
SELECT sum(price * discount) FROM lines_200k
WHERE shipped >= date '1994-01-01' AND shipped < date '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24;

-- name: filter, 2 million rows
SELECT sum(price * discount) FROM lines_2m
WHERE shipped >= date '1994-01-01' AND shipped < date '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24;

-- name: join with CASE, 20,000 rows
SELECT mode, sum(CASE WHEN priority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
       sum(CASE WHEN priority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS low
FROM orders JOIN lines_20k USING (number)
WHERE mode IN ('MAIL', 'SHIP') AND shipped < received GROUP BY mode ORDER BY mode;

-- name: join with CASE, 200,000 rows
SELECT mode, sum(CASE WHEN priority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
       sum(CASE WHEN priority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS low
FROM orders JOIN lines_200k USING (number)
WHERE mode IN ('MAIL', 'SHIP') AND shipped < received GROUP BY mode ORDER BY mode;

-- name: join with CASE, 2 million rows
SELECT mode, sum(CASE WHEN priority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
       sum(CASE WHEN priority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS low
FROM orders JOIN lines_2m USING (number)
WHERE mode IN ('MAIL', 'SHIP') AND shipped < received GROUP BY mode ORDER BY mode;

-- name: promotions, 200,000 rows
SELECT 100 * sum(CASE WHEN kind LIKE 'PROMO%' THEN price * (1 - discount) ELSE 0 END) / sum(price * (1 - discount))
FROM lines_200k JOIN part USING (part) WHERE shipped >= date '1994-01-01' AND shipped < date '1996-01-01';

-- name: three tables, 2 million rows
SELECT number, sum(price * (1 - discount)) AS revenue, ordered
FROM customer JOIN orders USING (customer) JOIN lines_2m USING (number)
WHERE segment = 'BUILDING' AND ordered < date '1995-03-15' AND shipped > date '1995-03-15'
GROUP BY number, ordered ORDER BY revenue DESC, ordered, number LIMIT 10;

-- name: orders that are late, 2 million rows
SELECT priority, count(*) FROM orders
WHERE ordered >= date '1993-07-01' AND ordered < date '1994-07-01'
  AND EXISTS (SELECT FROM lines_2m WHERE lines_2m.number = orders.number AND shipped < received)
GROUP BY priority ORDER BY priority;

-- name: large customers, 2 million rows
SELECT nation, count(*), sum(spent), max(spent)
FROM (SELECT customer, nation, sum(price * quantity) AS spent
      FROM customer JOIN orders USING (customer) JOIN lines_2m USING (number) GROUP BY customer, nation) AS sums
WHERE spent > 1000000 GROUP BY nation ORDER BY nation;

-- name: arithmetic, 1 million rows
SELECT class, count(*), sum(x * y - (x + 1) / (y + 2)), avg(CASE WHEN x > y THEN x - y ELSE (y - x) * 2 END),
       max(number % 1000 + class * 3)
FROM samples WHERE (x * 3 + y * 2 > 50 OR number BETWEEN 1000 AND 500000) AND coalesce(number, 0) <> 77
GROUP BY class ORDER BY class;

-- name: conditions, 1 million rows
SELECT count(*) FROM samples
WHERE x > 1 AND y > 1 AND x + y > 3 AND x - y < 140 AND (number IS NULL OR number > 10) AND class <> 13
  AND class <> 17 AND class <> 19 AND NOT (x = 100 AND y = 100);

-- name: window, 200,000 rows
SELECT sum(place), max(gap) FROM (
  SELECT rank() OVER w AS place, number - lag(number) OVER w AS gap
  FROM samples WHERE id <= 200000 WINDOW w AS (PARTITION BY class ORDER BY number)) AS windows;

-- name: sort, 200,000 rows
SELECT part, shipped, price * quantity FROM lines_200k ORDER BY price * quantity DESC, shipped, part OFFSET 199990;

-- name: 40 columns, 200,000 rows
SELECT sum(c1), sum(c5), sum(c10), sum(c15), sum(c20), sum(c25), sum(c30), sum(c35), sum(c40), avg(c39), avg(c38),
       avg(c37), count(c36), count(c34), max(c33), max(c32), min(c31), min(c29)
FROM wide WHERE c40 > 2 AND c39 + c38 > 3;

-- name: last of 40 columns, 200,000 rows
SELECT c40, count(*) FROM wide GROUP BY c40 ORDER BY c40;

-- name: 100 partitions, 10,000 rows
SELECT kind, count(*), sum(amount), avg(rate) FROM few_events WHERE amount > 100 AND rate < 90 GROUP BY kind ORDER BY kind;

-- name: 100 partitions, 1.5 million rows
SELECT kind, count(*), sum(amount), avg(rate) FROM events WHERE amount > 100 AND rate < 90 GROUP BY kind ORDER BY kind;

-- name: texts, 1.5 million rows
SELECT kind, count(*), sum(CASE WHEN note LIKE 'note 1%' THEN amount ELSE 0 END), max(upper(note))
FROM events WHERE note <> 'note 7' AND length(note) > 5 GROUP BY kind ORDER BY kind;
