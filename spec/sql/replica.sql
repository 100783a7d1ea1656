select (select "id"
    from "applications"
    where "advertiser_id" = $1
    order by "id" desc
    limit $2) as "newest", null as "after", null as "before"
  where exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $3
    and "version" = $4
    and pg_is_in_recovery());
select (select "id"
    from "applications"
    where "advertiser_id" = $1
    order by "id" desc
    limit $2) as "newest", (select "id"
    from "applications"
    where "advertiser_id" = $3
    and "submitted_at" <= $4
    order by "submitted_at" desc, "id" desc
    limit $5) as "after", (select "id"
    from "applications"
    where "advertiser_id" = $6
    and "submitted_at" >= $7
    order by "submitted_at", "id"
    limit $8) as "before"
  where exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $9
    and "version" = $10
    and pg_is_in_recovery());
select "type", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan", case when (exists (select "candidate_id"
      from "own_applications"
      where "advertiser_id" = $1
      and "application_id" = $2)
    and not exists (select "day"
      from "application_reads"
      where "advertiser_id" = $3
      and "application_id" = $4)) then 1 else 0 end as "isReplaceable"
  from "application_files"
  where "advertiser_id" = $5
  and "application_id" = $6
  and "type" = $7
  and exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $8
    and "version" = $9
    and pg_is_in_recovery());
select "json" as "text"
  from "application_screens"
  where "advertiser_id" = $1
  and "application_id" = $2
  and exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $3
    and "version" = $4
    and pg_is_in_recovery());
select "xml" as "text"
  from "application_screens"
  where "advertiser_id" = $1
  and "application_id" = $2
  and exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $3
    and "version" = $4
    and pg_is_in_recovery());
select "piece".*
  from (select 1 as "one"
    where exists (select 1 as "one"
      from "advertiser_ledger"
      where "advertiser_id" = $1
      and "version" = $2
      and pg_is_in_recovery())) as "version" left join (select "id", "body"
    from "application_pieces"
    where "advertiser_id" = $3
    and "format" = 'json'
    and "id" < $4
    and "id" > $5
    order by "id"
    limit $6) as "piece" on true;
select "piece".*
  from (select 1 as "one"
    where exists (select 1 as "one"
      from "advertiser_ledger"
      where "advertiser_id" = $1
      and "version" = $2
      and pg_is_in_recovery())) as "version" left join (select "id", "body", "primary_info"
    from "application_pieces"
    where "advertiser_id" = $3
    and "format" = 'json'
    and "id" < $4
    and "id" > $5
    order by "id"
    limit $6) as "piece" on true;
select "piece".*
  from (select 1 as "one"
    where exists (select 1 as "one"
      from "advertiser_ledger"
      where "advertiser_id" = $1
      and "version" = $2
      and pg_is_in_recovery())) as "version" left join (select "id", "body"
    from "application_pieces"
    where "advertiser_id" = $3
    and "format" = 'xml'
    and "id" < $4
    and "id" > $5
    order by "id"
    limit $6) as "piece" on true;
select "piece".*
  from (select 1 as "one"
    where exists (select 1 as "one"
      from "advertiser_ledger"
      where "advertiser_id" = $1
      and "version" = $2
      and pg_is_in_recovery())) as "version" left join (select "id", "body", "primary_info"
    from "application_pieces"
    where "advertiser_id" = $3
    and "format" = 'xml'
    and "id" < $4
    and "id" > $5
    order by "id"
    limit $6) as "piece" on true;
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "event"."number", "event"."type", "event"."detail", "event"."application_id" as "applicationId"
  from "advertiser_ledger" as "ledger" left join (select "number", "type", "application_id", "detail"
    from "events"
    where "advertiser_id" = $1
    and "number" > $2
    and "number" <= $3
    and (1 << cast(type as integer)) & cast($4 as bigint) <> 0
    order by "number"
    limit $5 + 0) as "event" on true
  where "ledger"."advertiser_id" = $6
  and exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $7
    and "event_number" = $8
    and pg_is_in_recovery());
select *
  from (select -event_number as "number", "events_from" as "type", cast(null as bigint) as "application_id", (select "value"
      from "meta"
      where "key" = 'restored') as "detail"
    from "advertiser_ledger"
    where "advertiser_id" = $1
    union all select "number", "type", "application_id", "detail"
    from (select "number", "type", "application_id", "detail"
      from "events"
      where "advertiser_id" = $2
      and "number" > $3
      and "number" <= $4
      and (1 << cast(type as integer)) & cast($5 as bigint) <> 0
      order by "number"
      limit $6 + 0) as "event") as "page"
  where exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $7
    and "event_number" = $8
    and pg_is_in_recovery());
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "event"."number", "event"."type", "event"."detail", "event"."application_id" as "applicationId", (select piece.body || piece.primary_info as "text"
    from "application_pieces" as "piece"
    where "piece"."advertiser_id" = $1
    and "piece"."format" = 'xml'
    and "piece"."id" = "event"."application_id") as "application"
  from "advertiser_ledger" as "ledger" left join (select "number", "type", "application_id", "detail"
    from "events"
    where "advertiser_id" = $2
    and "number" > $3
    and "number" <= $4
    and (1 << cast(type as integer)) & cast($5 as bigint) <> 0
    order by "number"
    limit $6 + 0) as "event" on true
  where "ledger"."advertiser_id" = $7
  and exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $8
    and "event_number" = $9
    and pg_is_in_recovery());
select *
  from (select -event_number as "number", "events_from" as "type", cast(null as bigint) as "application_id", (select "value"
      from "meta"
      where "key" = 'restored') as "detail", cast(null as text) as "body", cast(null as text) as "primary_info"
    from "advertiser_ledger"
    where "advertiser_id" = $1
    union all select "number", "type", "application_id", "detail", "piece"."body", "piece"."primary_info"
    from (select "number", "type", "application_id", "detail"
      from "events"
      where "advertiser_id" = $2
      and "number" > $3
      and "number" <= $4
      and (1 << cast(type as integer)) & cast($5 as bigint) <> 0
      order by "number"
      limit $6 + 0) as "event" left join lateral (select "body", "primary_info"
      from "application_pieces"
      where "advertiser_id" = $7
      and "format" = 'json'
      and "id" = "event"."application_id"
      limit 1) as "piece" on true) as "page"
  where exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $8
    and "event_number" = $9
    and pg_is_in_recovery());
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "event"."number", "event"."type", "event"."detail", "event"."application_id" as "applicationId"
  from "advertiser_ledger" as "ledger" left join (select "number", "type", "application_id", "detail"
    from "events"
    where "advertiser_id" = $1
    and "number" > $2
    and "number" <= $3
    and (1 << cast(type as integer)) & cast($4 as bigint) <> 0
    and (type not in (7, 8) or detail = cast($5 as text))
    order by "number"
    limit $6 + 0) as "event" on true
  where "ledger"."advertiser_id" = $7
  and exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $8
    and "event_number" = $9
    and pg_is_in_recovery());
select *
  from (select -event_number as "number", "events_from" as "type", cast(null as bigint) as "application_id", (select "value"
      from "meta"
      where "key" = 'restored') as "detail"
    from "advertiser_ledger"
    where "advertiser_id" = $1
    union all select "number", "type", "application_id", "detail"
    from (select "number", "type", "application_id", "detail"
      from "events"
      where "advertiser_id" = $2
      and "number" > $3
      and "number" <= $4
      and (1 << cast(type as integer)) & cast($5 as bigint) <> 0
      and (type not in (7, 8) or detail = cast($6 as text))
      order by "number"
      limit $7 + 0) as "event") as "page"
  where exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $8
    and "event_number" = $9
    and pg_is_in_recovery());
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "event"."number", "event"."type", "event"."detail", "event"."application_id" as "applicationId", (select piece.body || piece.primary_info as "text"
    from "application_pieces" as "piece"
    where "piece"."advertiser_id" = $1
    and "piece"."format" = 'xml'
    and "piece"."id" = "event"."application_id") as "application"
  from "advertiser_ledger" as "ledger" left join (select "number", "type", "application_id", "detail"
    from "events"
    where "advertiser_id" = $2
    and "number" > $3
    and "number" <= $4
    and (1 << cast(type as integer)) & cast($5 as bigint) <> 0
    and (type not in (7, 8) or detail = cast($6 as text))
    order by "number"
    limit $7 + 0) as "event" on true
  where "ledger"."advertiser_id" = $8
  and exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $9
    and "event_number" = $10
    and pg_is_in_recovery());
select *
  from (select -event_number as "number", "events_from" as "type", cast(null as bigint) as "application_id", (select "value"
      from "meta"
      where "key" = 'restored') as "detail", cast(null as text) as "body", cast(null as text) as "primary_info"
    from "advertiser_ledger"
    where "advertiser_id" = $1
    union all select "number", "type", "application_id", "detail", "piece"."body", "piece"."primary_info"
    from (select "number", "type", "application_id", "detail"
      from "events"
      where "advertiser_id" = $2
      and "number" > $3
      and "number" <= $4
      and (1 << cast(type as integer)) & cast($5 as bigint) <> 0
      and (type not in (7, 8) or detail = cast($6 as text))
      order by "number"
      limit $7 + 0) as "event" left join lateral (select "body", "primary_info"
      from "application_pieces"
      where "advertiser_id" = $8
      and "format" = 'json'
      and "id" = "event"."application_id"
      limit 1) as "piece" on true) as "page"
  where exists (select 1 as "one"
    from "advertiser_ledger"
    where "advertiser_id" = $9
    and "event_number" = $10
    and pg_is_in_recovery());
