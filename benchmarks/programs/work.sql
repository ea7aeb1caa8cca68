-- Inserts, an index, joins and aggregates over generated rows, for a few seconds.
create table place(id integer primary key, name text, region int);
create table sale(id integer primary key, place int, amount int, note text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
  insert into place select i, 'place ' || (i * 7919 % 2000), i % 37 from n;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1600000)
  insert into sale select i, 1 + i * 31 % 2000, i * 7 % 1013, 'note ' || (i % 97) from n;
create index sale_place on sale(place, amount);
select region, count(*), sum(amount), max(note) from sale join place on place.id = sale.place
  group by region order by 3 desc limit 5;
select count(*), sum(length(note)) from sale where note like '%9%' and amount % 3 = 1;
select name, (select max(amount) from sale where place = place.id and amount < 900)
  from place order by name limit 3;
update sale set amount = amount + 1 where place % 5 = 0;
delete from sale where id % 11 = 0;
select count(distinct note), total(amount), avg(amount * 2) from sale;
select a.region, count(*) from place a join place b on a.region = b.region and a.id < b.id
  group by a.region having count(*) > 1430 order by 1 limit 3;
with recursive n(i, x) as (select 1, 1 union all select i + 1, (x * 75 + 74) % 65537 from n
  where i < 3200000) select sum(x), min(x), max(x) from n;
select substr(note, 6), sum(amount) as total from sale group by note order by total limit 3;
