-- The data of queries.sql, after the manner of TPC-H. Every value follows from its row's number, so the data are
-- the same on every machine. `scatter` gives a number from 0 to n - 1 that looks random.
SET max_parallel_workers_per_gather = 0;

CREATE FUNCTION scatter(i bigint, salt bigint, n bigint) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT (abs(hashint8extended(i, salt) % n))::int $$;

CREATE TABLE customer AS
  SELECT i AS customer,
         (ARRAY['BUILDING', 'AUTOMOBILE', 'MACHINERY', 'HOUSEHOLD', 'FURNITURE'])[1 + scatter(i, 1, 5)] AS segment,
         scatter(i, 2, 25) AS nation,
         (scatter(i, 3, 1100000) - 100000)::numeric / 100 AS balance
  FROM generate_series(1, 15000) AS i;

CREATE TABLE part AS
  SELECT i AS part,
         (ARRAY['PROMO', 'STANDARD', 'SMALL', 'ECONOMY'])[1 + scatter(i, 4, 4)] || ' ' ||
         (ARRAY['BRASS', 'COPPER', 'STEEL', 'TIN'])[1 + scatter(i, 5, 4)] AS kind,
         'Brand#' || scatter(i, 6, 25) AS brand,
         1 + scatter(i, 7, 50) AS size
  FROM generate_series(1, 20000) AS i;

CREATE TABLE orders AS
  SELECT i AS number,
         1 + scatter(i, 8, 15000) AS customer,
         date '1992-01-01' + scatter(i, 9, 2400) AS ordered,
         (ARRAY['1-URGENT', '2-HIGH', '3-MEDIUM', '4-LOW', '5-NONE'])[1 + scatter(i, 10, 5)] AS priority
  FROM generate_series(1, 500000) AS i;

CREATE TABLE lines_2m AS
  SELECT (i + 3) / 4 AS number,
         1 + scatter(i, 11, 20000) AS part,
         (1 + scatter(i, 12, 50))::numeric AS quantity,
         (90000 + scatter(i, 13, 1000000))::numeric / 100 AS price,
         scatter(i, 14, 11)::numeric / 100 AS discount,
         scatter(i, 15, 9)::numeric / 100 AS tax,
         (ARRAY['A', 'N', 'R'])[1 + scatter(i, 16, 3)]::char(1) AS returned,
         (ARRAY['F', 'O'])[1 + scatter(i, 17, 2)]::char(1) AS status,
         date '1992-01-01' + scatter((i + 3) / 4, 9, 2400) + scatter(i, 18, 120) AS shipped,
         date '1992-01-01' + scatter((i + 3) / 4, 9, 2400) + scatter(i, 19, 150) AS received,
         (ARRAY['AIR', 'MAIL', 'RAIL', 'SHIP', 'TRUCK'])[1 + scatter(i, 20, 5)] AS mode
  FROM generate_series(1, 2000000) AS i;
CREATE TABLE lines_200k AS SELECT * FROM lines_2m LIMIT 200000;
CREATE TABLE lines_20k AS SELECT * FROM lines_2m LIMIT 20000;
CREATE TABLE lines_1k AS SELECT * FROM lines_2m LIMIT 1000;

CREATE TABLE samples AS
  SELECT i AS id,
         scatter(i, 21, 1000)::float8 / 7 AS x,
         scatter(i, 22, 1000)::float8 / 9 AS y,
         CASE WHEN i % 10 = 0 THEN NULL ELSE scatter(i, 23, 1000000) END AS number,
         scatter(i, 24, 100) AS class
  FROM generate_series(1, 1000000) AS i;

-- Forty columns, with nulls among them.
SELECT format('CREATE TABLE wide AS SELECT %s FROM generate_series(1, 200000) AS i',
              string_agg(format('nullif(scatter(i, %s, 50), 0) AS c%s', 100 + c, c), ', ' ORDER BY c))
  FROM generate_series(1, 40) AS c \gexec

CREATE TABLE events (day int NOT NULL, kind int NOT NULL, amount int, rate float8, note text) PARTITION BY RANGE (day);
CREATE TABLE few_events (LIKE events) PARTITION BY RANGE (day);
SELECT format('CREATE TABLE %s_%s PARTITION OF %s FOR VALUES FROM (%s) TO (%s)', name, p, name, 10 * p, 10 * p + 10)
  FROM generate_series(0, 99) AS p, unnest(ARRAY['events', 'few_events']) AS name \gexec
INSERT INTO events
  SELECT scatter(i, 30, 1000), scatter(i, 31, 20), scatter(i, 32, 10000), scatter(i, 33, 1000)::float8 / 10,
         'note ' || scatter(i, 34, 500)
  FROM generate_series(1, 1500000) AS i;
INSERT INTO few_events SELECT * FROM events LIMIT 10000;

ALTER TABLE customer ADD PRIMARY KEY (customer);
ALTER TABLE part ADD PRIMARY KEY (part);
ALTER TABLE orders ADD PRIMARY KEY (number);
VACUUM (ANALYZE);
CHECKPOINT;
