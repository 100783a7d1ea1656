-- advertisers.add (the operator's own look-up or list)
insert into "advertisers" ("id", "name", "status", "created_at", "time_zone")
  values ((select coalesce(max(id) + 1, $1)
      from advertisers), $2, $3, $4, $5)
  on conflict ("id") do nothing
  returning "id", "name", "status", "created_at", "time_zone", "requires_factor";
insert into "advertiser_ledger" ("advertiser_id", "last_submitted_at", "version")
  values ($1, $2, $3);
insert into "advertisers" ("id", "name", "status", "created_at", "time_zone")
  values ($1, $2, $3, $4, $5)
  on conflict ("id") do nothing
  returning "id", "name", "status", "created_at", "time_zone", "requires_factor";

-- advertisers.list (the operator's own look-up or list)
select "id", "name", "status", "created_at", "time_zone", "requires_factor"
  from "advertisers"
  order by "id";

-- advertisers.find
select "id", "name", "status", "created_at", "time_zone", "requires_factor"
  from "advertisers"
  where "id" = $1;

-- advertisers.setRequiresFactor
select "id", "name", "status", "created_at", "time_zone", "requires_factor"
  from "advertisers"
  where "id" = $1 for no key update;
update "advertisers"
  set "requires_factor" = $1
  where "id" = $2;

-- advertisers.setTimeZone (the operator's own look-up or list)
select "id", "name", "status", "created_at", "time_zone", "requires_factor"
  from "advertisers"
  where "id" = $1 for no key update;
update "advertisers"
  set "time_zone" = $1
  where "id" = $2;

-- advertisers.setStatus
select "id", "name", "status", "created_at", "time_zone", "requires_factor"
  from "advertisers"
  where "id" = $1 for no key update;
update "advertisers"
  set "status" = $1
  where "id" = $2;

-- logos.find (logos are public)
select "type", "content"
  from "advertiser_logos"
  where "hash" = $1
  union all select "type", "content"
  from "client_logos"
  where "hash" = $2
  limit $3;

-- logos.setOfAdvertiser
update "advertisers"
  set logo_hash = $1
  where "id" = $2;
delete from "advertiser_logos"
  where "advertiser_id" = $1;
insert into "advertiser_logos" ("advertiser_id", hash, type, content)
  values ($1, $2, $3, $4);

-- logos.setOfClient
update "oauth_clients"
  set logo_hash = $1
  where "id" = $2;
delete from "client_logos"
  where "client_id" = $1;
insert into "client_logos" ("client_id", hash, type, content)
  values ($1, $2, $3, $4);

-- credentials.findOwner (the secret is what says who asks)
select "credential"."id" as "credentialId", "advertiser"."id" as "advertiserId", "advertiser"."status" as "advertiserStatus", "credential"."expires_at" as "expiresAt", "credential"."revoked_at" as "revokedAt", "credential"."last_used_at" as "lastUsedAt", "ledger"."version", "ledger"."event_number" as "eventNumber", "credential"."hash" as "key"
  from "sws_credentials" as "credential"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "credential"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "credential"."advertiser_id"
  where "credential"."hash" = any($1);

-- credentials.advertiserOf (the operator's own look-up or list)
select "advertiser_id"
  from "sws_credentials"
  where "id" = $1;

-- credentials.add
insert into "sws_credentials" ("id", "advertiser_id", "hash", "hint", "label", "created_at", "expires_at")
  values ($1, $2, $3, $4, $5, $6, $7);

-- credentials.list
select "id", "hint", "label", "created_at" as "createdAt", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "last_used_at" as "lastUsedAt"
  from "sws_credentials"
  where "advertiser_id" = $1
  order by "created_at", "id";

-- credentials.revoke
update "sws_credentials"
  set "revoked_at" = $1
  where "advertiser_id" = $2
  and "id" = $3
  and "revoked_at" is null
  returning "id", "hint", "label", "created_at" as "createdAt", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "last_used_at" as "lastUsedAt";
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- credentials.recordUse
update "sws_credentials"
  set "last_used_at" = $1
  where "advertiser_id" = $2
  and "id" = $3
  and ("last_used_at" is null or "last_used_at" <= $4);

-- submissions.add
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > $1 then last_submitted_at else $2 end, "version" = case when (case when version > event_number then version else event_number end) >= $3 then (case when version > event_number then version else event_number end) + 1 else $4 end, "event_number" = case when (case when version > event_number then version else event_number end) >= $5 then (case when version > event_number then version else event_number end) + 1 else $6 end
  where "advertiser_id" = $7
  returning "last_submitted_at", "event_number", nextval('application_ids') as "id", pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as "server";
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful")
  values ($1, $2, $3, $4, $5, $6, $7);
with "pieces" as (insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
    values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10)), "terms" as (insert into "application_terms" ("advertiser_id", "term", "application_id") select $11::bigint, term, $12::bigint
    from unnest($13::text[]) term), "event" as (insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
    values ($14, $15, $16, $17, $18)), "count" as (insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
    values ($19, $20, $21, $22)
    on conflict ("advertiser_id", "job_ad_id", "status") do update
    set "applications" = application_counts.applications + 1) select 1 as "done";

-- applications.resolveBounds
select (select "id"
    from "applications"
    where "advertiser_id" = $1
    order by "id" desc
    limit $2) as "newest", null as "after", null as "before";
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
    limit $8) as "before";

-- applications.page
select "id", "body"
  from "application_pieces"
  where "advertiser_id" = $1
  and "format" = 'json'
  and "id" < $2
  and "id" > $3
  order by "id"
  limit $4;
select "id", "body", "primary_info"
  from "application_pieces"
  where "advertiser_id" = $1
  and "format" = 'json'
  and "id" < $2
  and "id" > $3
  order by "id"
  limit $4;
select "id", "body"
  from "application_pieces"
  where "advertiser_id" = $1
  and "format" = 'xml'
  and "id" < $2
  and "id" > $3
  order by "id"
  limit $4;
select "id", "body", "primary_info"
  from "application_pieces"
  where "advertiser_id" = $1
  and "format" = 'xml'
  and "id" < $2
  and "id" > $3
  order by "id"
  limit $4;

-- applications.file
select "type", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "advertiser_id" = $1
  and "application_id" = $2
  and "type" = $3;

-- applications.screen
select "json" as "text"
  from "application_screens"
  where "advertiser_id" = $1
  and "application_id" = $2;
select "xml" as "text"
  from "application_screens"
  where "advertiser_id" = $1
  and "application_id" = $2;

-- applications.recordVerdict
select "type", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "advertiser_id" = $1
  and "application_id" = $2
  and "type" = $3;
select "blob", "scan"
  from "application_files"
  where "advertiser_id" = $1
  and "application_id" = $2
  and "type" = $3
  and "scan" in ($4, $5)
  and "blob" = $6;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end, "version" = case when (case when version > event_number then version else event_number end) >= $3 then (case when version > event_number then version else event_number end) + 1 else $4 end
  where "advertiser_id" = $5
  returning "event_number";
update "application_files"
  set "scan" = $1, "not_judged" = $2, "changed_at" = $3
  where "advertiser_id" = $4
  and "application_id" = $5
  and "type" = $6
  and "scan" in ($7, $8)
  and "blob" = $9;
select "advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "erased_at", "status"
  from "applications"
  where "advertiser_id" = $1
  and "id" = $2;
select "type", "sha256", "size", "scan", "uploaded_at" as "uploadedAt"
  from "application_files"
  where "advertiser_id" = $1
  and "application_id" = $2;
select "sha256", "size"
  from "application_screens"
  where "advertiser_id" = $1
  and "application_id" = $2;
update "application_pieces"
  set "body" = $1, "primary_info" = $2
  where "advertiser_id" = $3
  and "format" = $4
  and "id" = $5;
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);
update "application_files"
  set "scan" = $1, "not_judged" = $2, "changed_at" = $3, "blob" = $4, "sha256" = $5, "size" = $6
  where "advertiser_id" = $7
  and "application_id" = $8
  and "type" = $9
  and "scan" in ($10, $11)
  and "blob" = $12;
insert into "loose_blobs" ("blob", "since")
  values ($1, $2)
  on conflict ("blob") do update
  set "since" = case when "loose_blobs"."since" < $3 then $4 else "loose_blobs"."since" + $5 end;
update "applications"
  set "has_virus" = $1
  where "advertiser_id" = $2
  and "id" = $3;

-- progress.happenings
select "number", "type", "detail"
  from "events"
  where "advertiser_id" = $1
  and application_id = $2
  and "type" > 2;
select "reader", min("at") as "at"
  from (select "reader", "first_at" as "at"
    from "application_reads"
    where "advertiser_id" = $1
    and "application_id" = $2
    union all select "reader", "first_at" as "at"
    from "list_reads"
    where "advertiser_id" = $3
    and "day" >= $4
    and "first_id" <= $5
    and "last_id" >= $6) as "read"
  where "reader" not like 'member:%' group by "reader";

-- blobReferences.page (the operator's check of the files, whoever they belong to)
select *
  from (select *
    from (select distinct "blob", "sha256", "size"
      from "application_files"
      where "blob" > $1
      order by "blob"
      limit $2) as "application_files"
    union select *
    from (select distinct "blob", "sha256", "size"
      from "resumes"
      where "blob" > $3
      order by "blob"
      limit $4) as "resumes") as "file"
  order by "blob"
  limit $5;

-- agents.add (the operator's own look-up or list)
insert into "agents" ("id", "name", "created_at")
  values ((select coalesce(max(id) + 1, $1)
      from agents), $2, $3)
  on conflict ("id") do nothing
  returning "id", "name", "created_at" as "createdAt";
insert into "agents" ("id", "name", "created_at")
  values ($1, $2, $3)
  on conflict ("id") do nothing
  returning "id", "name", "created_at" as "createdAt";

-- agents.list (the operator's own look-up or list)
select "agent"."id", "agent"."name", "agent"."created_at", "authorisation"."advertiser_id"
  from "agents" as "agent" left join "agent_authorisations" as "authorisation" on "authorisation"."agent_id" = "agent"."id"
  order by "agent"."id", "authorisation"."advertiser_id";

-- agents.find (the operator's own look-up or list)
select "id", "name", "created_at" as "createdAt"
  from "agents"
  where "id" = $1;

-- agents.listFor
select "agent"."id", "agent"."name", "authorisation"."authorised_at" as "authorisedAt"
  from "agents" as "agent" left join "agent_authorisations" as "authorisation" on "authorisation"."agent_id" = "agent"."id"
  and "authorisation"."advertiser_id" = $1
  order by "agent"."name", "agent"."id";

-- agents.authorise
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end
  where "advertiser_id" = $3
  returning "event_number";
update "agents"
  set "last_authorised_at" = case when "last_authorised_at" >= $1 then "last_authorised_at" + $2 else $3 end
  where "id" = $4
  returning "last_authorised_at";
insert into "agent_authorisations" ("advertiser_id", "agent_id", "authorised_at")
  values ($1, $2, $3)
  on conflict ("advertiser_id", "agent_id") do nothing;

-- jobAds.add
select nextval('job_ad_ids') as id, pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as server;
select "name"
  from "advertisers"
  where "id" = $1;
insert into "job_ads" ("advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "search_text", "status", "created_at", "updated_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text";

-- jobAds.addOnce
insert into "intake_keys" ("client_id", "key", "claim", "expires_at", "held_until")
  values ($1, $2, $3, $4, (extract(epoch
        from clock_timestamp()) * 1000)::bigint + $5)
  on conflict ("client_id", "key") do update
  set "claim" = $6, "expires_at" = $7, "held_until" = (extract(epoch
      from clock_timestamp()) * 1000)::bigint + $8, "content_hash" = $9, "answer" = $10
  where ("intake_keys"."expires_at" <= $11 or ("intake_keys"."answer" is null
      and "intake_keys"."held_until" <= (extract(epoch
          from clock_timestamp()) * 1000)::bigint));
select nextval('job_ad_ids') as id, pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as server;
select "name"
  from "advertisers"
  where "id" = $1;
insert into "job_ads" ("advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "search_text", "status", "created_at", "updated_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text";
update "intake_keys"
  set "content_hash" = $1, "answer" = $2, "expires_at" = $3, "held_until" = $4
  where "client_id" = $5
  and "key" = $6;
select "content_hash", "answer", "expires_at", held_until - (extract(epoch
      from clock_timestamp()) * 1000)::bigint as "held_ms"
  from "intake_keys"
  where "client_id" = $1
  and "key" = $2
  and "expires_at" > $3;

-- screens.addOnce
insert into "intake_keys" ("client_id", "key", "claim", "expires_at", "held_until")
  values ($1, $2, $3, $4, (extract(epoch
        from clock_timestamp()) * 1000)::bigint + $5)
  on conflict ("client_id", "key") do update
  set "claim" = $6, "expires_at" = $7, "held_until" = (extract(epoch
      from clock_timestamp()) * 1000)::bigint + $8, "content_hash" = $9, "answer" = $10
  where ("intake_keys"."expires_at" <= $11 or ("intake_keys"."answer" is null
      and "intake_keys"."held_until" <= (extract(epoch
          from clock_timestamp()) * 1000)::bigint));
select nextval('screen_ids') as id, pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as server;
insert into "screens" ("advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at")
  values ($1, $2, $3, $4, $5, $6, $7)
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";
update "intake_keys"
  set "content_hash" = $1, "answer" = $2, "expires_at" = $3, "held_until" = $4
  where "client_id" = $5
  and "key" = $6;

-- jobAds.find
select "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text"
  from "job_ads"
  where "advertiser_id" = $1
  and "id" = $2;

-- jobAds.list
select "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text"
  from "job_ads"
  where "advertiser_id" = $1
  and "id" > $2
  order by "id"
  limit $3;
select "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text"
  from "job_ads"
  where "advertiser_id" = $1
  and "reference" = $2
  and "id" > $3
  order by "id"
  limit $4;

-- postingLists.jobAds
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = $1
  and "ad"."id" < $2
  order by "ad"."id" desc
  limit $3;
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = $1
  and "ad"."id" < $2
  and ("ad"."status" <> $3
    and ("ad"."closing_date" is null or "ad"."closing_date" >= $4))
  order by "ad"."id" desc
  limit $5;
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = $1
  and "ad"."id" < $2
  and ("ad"."status" = $3 or "ad"."closing_date" < $4)
  order by "ad"."id" desc
  limit $5;
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = $1
  and "ad"."id" > $2
  order by "ad"."id" asc
  limit $3;

-- postingLists.screens
select "screen"."id" as "id", "screen"."name" as "name", "screen"."status" as "status", "screen"."updated_at" as "updatedAt", json_array_length(screen.questions::json) as "questionCount", (select count(*) as "count"
    from "job_ads" as "ad"
    where "ad"."advertiser_id" = "screen"."advertiser_id"
    and "ad"."screen_id" = "screen"."id") as "adCount"
  from "screens" as "screen"
  where "screen"."advertiser_id" = $1
  and "screen"."id" < $2
  order by "screen"."id" desc
  limit $3;
select "screen"."id" as "id", "screen"."name" as "name", "screen"."status" as "status", "screen"."updated_at" as "updatedAt", json_array_length(screen.questions::json) as "questionCount", (select count(*) as "count"
    from "job_ads" as "ad"
    where "ad"."advertiser_id" = "screen"."advertiser_id"
    and "ad"."screen_id" = "screen"."id") as "adCount"
  from "screens" as "screen"
  where "screen"."advertiser_id" = $1
  and "screen"."id" < $2
  and "screen"."status" = $3
  order by "screen"."id" desc
  limit $4;
select "screen"."id" as "id", "screen"."name" as "name", "screen"."status" as "status", "screen"."updated_at" as "updatedAt", json_array_length(screen.questions::json) as "questionCount", (select count(*) as "count"
    from "job_ads" as "ad"
    where "ad"."advertiser_id" = "screen"."advertiser_id"
    and "ad"."screen_id" = "screen"."id") as "adCount"
  from "screens" as "screen"
  where "screen"."advertiser_id" = $1
  and "screen"."id" > $2
  order by "screen"."id" asc
  limit $3;

-- postingLists.openScreens
select "id", "name"
  from "screens"
  where "advertiser_id" = $1
  and "status" = $2
  order by "id" desc
  limit $3;

-- postingLists.adsWithScreen
select "id", "title", "status"
  from "job_ads"
  where "advertiser_id" = $1
  and "screen_id" = $2
  order by "id" desc
  limit $3;

-- jobAds.update
select "name"
  from "advertisers"
  where "id" = $1;
update "job_ads"
  set "title" = $1, "location" = $2, "description" = $3, "reference" = $4, "screen_id" = $5, "closing_date" = $6, "search_text" = $7, "updated_at" = case when updated_at < $8 then $9 else updated_at + 1 end
  where "advertiser_id" = $10
  and "id" = $11
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text";
update "job_ads"
  set "title" = $1, "location" = $2, "description" = $3, "reference" = $4, "screen_id" = $5, "closing_date" = $6, "search_text" = $7, "updated_at" = case when updated_at < $8 then $9 else updated_at + 1 end
  where "advertiser_id" = $10
  and "id" = $11
  and "updated_at" = $12
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text";

-- jobAds.setStatus
update "job_ads"
  set "status" = $1, "updated_at" = case when updated_at < $2 then $3 else updated_at + 1 end
  where "advertiser_id" = $4
  and "id" = $5
  and "status" != $6
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text";

-- screens.add
select nextval('screen_ids') as id, pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as server;
insert into "screens" ("advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at")
  values ($1, $2, $3, $4, $5, $6, $7)
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";

-- screens.find
select "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at"
  from "screens"
  where "advertiser_id" = $1
  and "id" = $2;

-- screens.list
select "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at"
  from "screens"
  where "advertiser_id" = $1
  and "id" > $2
  order by "id"
  limit $3;

-- screens.update
update "screens"
  set "name" = $1, "questions" = $2, "updated_at" = case when updated_at < $3 then $4 else updated_at + 1 end
  where "advertiser_id" = $5
  and "id" = $6
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";
update "screens"
  set "name" = $1, "questions" = $2, "updated_at" = case when updated_at < $3 then $4 else updated_at + 1 end
  where "advertiser_id" = $5
  and "id" = $6
  and "updated_at" = $7
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";

-- screens.setStatus
update "screens"
  set "status" = $1, "updated_at" = case when updated_at < $2 then $3 else updated_at + 1 end
  where "advertiser_id" = $4
  and "id" = $5
  and "status" != $6
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";

-- jobBoard.find (what is advertised is for everybody)
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "screen"."name" as "screen_name", "screen"."questions" as "screen_questions", "advertiser"."retention_choice" as "retentionChoice"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = $1 left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."id" = $2;

-- jobBoard.companies (what is advertised is for everybody)
select "name", "logo_hash" as "logoHash", count(*) as "count"
  from (select "ad"."id", "advertiser"."id" as "advertiser_id", "advertiser"."name", "advertiser"."logo_hash"
    from "job_ads" as "ad"
    inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
    and "advertiser"."status" = $1
    where ad.status = 'open'
    and ("ad"."closing_date" is null or "ad"."closing_date" >= $2)
    order by "ad"."id" desc
    limit $3) as "newest" group by "advertiser_id", "name", "logo_hash"
  order by max("newest"."id") desc
  limit $4;

-- jobBoard.countOpen (what is advertised is for everybody)
select count(*) as "count"
  from (select "ad"."id"
    from "job_ads" as "ad"
    inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
    and "advertiser"."status" = $1
    where ad.status = 'open'
    and ("ad"."closing_date" is null or "ad"."closing_date" >= $2)
    limit $3) as "found";

-- jobBoard.listOpen (what is advertised is for everybody)
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = $1
  where ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= $2)
  and "ad"."id" < $3
  order by "ad"."id" desc
  limit $4;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = $1
  where ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= $2)
  and ad.search_text like $3 escape '!'
  and ad.search_text like $4 escape '!'
  and "ad"."id" < $5
  order by "ad"."id" desc
  limit $6;

-- progress.setStatus
select "id", "job_ad_id", "status", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select "application_id"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "position" = $3;
update "applications"
  set "status" = $1
  where "advertiser_id" = $2
  and "id" in ($3);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values ($1, $2, $3, $4), ($5, $6, $7, $8)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "at", "actor_id", "application_id", "kind", "former", "status")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8, $9);
insert into "application_history" ("advertiser_id", "position", "at", "actor_id", "application_id", "kind", "text")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8);
select "candidate_id" as "candidateId", "application_id" as "applicationId"
  from "own_applications"
  where "advertiser_id" = $1
  and "application_id" in ($2);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);

-- progress.addNote
select "id", "job_ad_id", "status", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select "application_id"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "position" = $3;
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "actor_id", "text")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8);

-- progress.history
select "entry"."at", "entry"."kind", "entry"."actor_id" as "actorId", "entry"."former", "entry"."status", "entry"."text", nullif(trim(actor.first_name || ' ' || actor.last_name), '') as "actorName"
  from "application_history" as "entry" left join "candidates" as "actor" on "actor"."id" = "entry"."actor_id"
  where "entry"."advertiser_id" = $1
  and "entry"."application_id" = $2
  order by "entry"."position" desc
  limit $3;

-- progress.hasAccount
select "candidate_id"
  from "own_applications"
  where "advertiser_id" = $1
  and "application_id" = $2;

-- progress.visit
select "visited_at", "visited_before_at", "told_up_to", coalesce((select max(id)
      from applications
      where advertiser_id = $1), 0) as "newest"
  from "memberships"
  where "advertiser_id" = $2
  and "candidate_id" = $3;
update "memberships"
  set "visited_before_at" = case when "visited_at" < $1 then "visited_at" else "visited_before_at" end, "visited_at" = $2, "told_up_to" = coalesce((select max(id)
      from applications
      where advertiser_id = $3), 0)
  where "advertiser_id" = $4
  and "candidate_id" = $5
  returning "visited_before_at";

-- progress.lastVisit
select "visited_before_at"
  from "memberships"
  where "advertiser_id" = $1
  and "candidate_id" = $2;

-- progress.counts
select "status", cast(sum(applications) as bigint) as "applications"
  from "application_counts"
  where "advertiser_id" = $1 group by "status";
select "status", cast(sum(applications) as bigint) as "applications"
  from "application_counts"
  where "advertiser_id" = $1
  and "job_ad_id" = $2 group by "status";

-- progress.countsOfAds
select "job_ad_id", "status", "applications"
  from "application_counts"
  where "advertiser_id" = $1
  and "job_ad_id" in ($2);

-- counts.faults (the operator's own look-up or list)
select "ad" as "jobAdId", "status", cast(sum("kept") as bigint) as "kept", cast(sum("counted") as bigint) as "counted"
  from (select "job_ad_id" as "ad", "status", "applications" as "kept", 0 as "counted"
    from "application_counts"
    where "advertiser_id" = $1
    union all select coalesce("job_ad_id", 0) as "ad", "status", 0 as "kept", count(*) as "counted"
    from "applications"
    where "advertiser_id" = $2 group by "job_ad_id", "status") as "both" group by "ad", "status" having cast(sum("kept") as bigint) <> cast(sum("counted") as bigint)
  order by "ad", "status";

-- counts.repair (the operator's own look-up or list)
update "advertiser_ledger"
  set "version" = "version"
  where "advertiser_id" = $1;
select "ad" as "jobAdId", "status", cast(sum("kept") as bigint) as "kept", cast(sum("counted") as bigint) as "counted"
  from (select "job_ad_id" as "ad", "status", "applications" as "kept", 0 as "counted"
    from "application_counts"
    where "advertiser_id" = $1
    union all select coalesce("job_ad_id", 0) as "ad", "status", 0 as "kept", count(*) as "counted"
    from "applications"
    where "advertiser_id" = $2 group by "job_ad_id", "status") as "both" group by "ad", "status" having cast(sum("kept") as bigint) <> cast(sum("counted") as bigint)
  order by "ad", "status";

-- deliveries.add (the outbox is worked off by processes, and the rows name no owner in a column)
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7), ($8, $9, $10, $11, $12, $13, $14);

-- deliveries.claimOne (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = $1, "attempts" = attempts + 1
  where "id" in (select "id"
    from "deliveries"
    where "state" = $2
    and "due_at" <= $3
    and "id" = $4 for update skip locked)
  returning "id", "kind", "content", "attempts", "created_at", "give_up_at", "due_at";

-- deliveries.claim (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = $1, "attempts" = attempts + 1
  where "id" in (select "id"
    from "deliveries"
    where "state" = $2
    and "due_at" <= $3
    and "kind" in ($4)
    order by "due_at"
    limit $5 for update skip locked)
  returning "id", "kind", "content", "attempts", "created_at", "give_up_at", "due_at";
update "deliveries"
  set "due_at" = $1, "attempts" = attempts + 1
  where "id" in (select "id"
    from "deliveries"
    where "state" = $2
    and "due_at" > $3
    and "kind" in ($4)
    order by "due_at"
    limit $5 for update skip locked)
  returning "id", "kind", "content", "attempts", "created_at", "give_up_at", "due_at";

-- deliveries.retry (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = $1, "fault" = $2
  where "id" = $3
  and "state" = $4
  and "due_at" = $5;

-- deliveries.end (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "state" = $1, "ended_at" = $2, "fault" = $3, "content" = $4
  where "id" = $5
  and "state" = $6
  and "due_at" = $7;
update "deliveries"
  set "state" = $1, "ended_at" = $2, "fault" = $3
  where "id" = $4
  and "state" = $5
  and "due_at" = $6;

-- deliveries.remove (the outbox is worked off by processes, and the rows name no owner in a column)
delete from "deliveries"
  where "id" = $1
  and "state" = $2
  and "due_at" = $3;

-- deliveries.dropUnclaimed (the outbox is worked off by processes, and the rows name no owner in a column)
delete from "deliveries"
  where "id" in (select "id"
    from "deliveries"
    where "state" = $1
    and "due_at" <= $2
    and "kind" in ($3)
    order by "due_at"
    limit $4 for update skip locked);

-- deliveries.counts (the operator's own look-up or list)
select count(*) as "count", min("created_at") as "oldestAt"
  from "deliveries"
  where "state" = 'waiting';
select count(*) as "count", min("created_at") as "oldestAt"
  from "deliveries"
  where "state" = 'dead';
select count(*) as "count", min("created_at") as "oldestAt"
  from "deliveries"
  where "state" = 'held';

-- deliveries.list (the operator's own look-up or list)
select "id", "kind", "state", "attempts", "created_at" as "createdAt", "due_at" as "dueAt", "ended_at" as "endedAt", "fault"
  from "deliveries"
  where "state" in ($1, $2)
  order by "created_at" desc, "id"
  limit $3;

-- deliveries.retryNow (the operator's own look-up or list)
update "deliveries"
  set "state" = $1, "due_at" = $2, "give_up_at" = case when state = 'waiting' then give_up_at else $3 end, "attempts" = $4, "ended_at" = $5, "fault" = $6
  where "content" != $7
  and "id" in ($8)
  and "state" in ($9, $10, $11);
update "deliveries"
  set "state" = $1, "due_at" = $2, "give_up_at" = case when state = 'waiting' then give_up_at else $3 end, "attempts" = $4, "ended_at" = $5, "fault" = $6
  where "content" != $7
  and "state" = $8;

-- deliveries.drop (the operator's own look-up or list)
delete from "deliveries"
  where "id" in ($1);
delete from "deliveries"
  where "state" = $1;

-- expiry.removeDeliveries (removes what is over, whoever had it)
delete from "deliveries"
  where ("id") in ( select "id"
    from "deliveries"
    where "ended_at" <= $1
    order by "ended_at"
    limit $2 for update skip locked);

-- notices.findReader
select "email", "email_confirmed_at", "muted", "mail_refused_at"
  from "candidates"
  where "id" = $1;

-- notices.findSent
select "own"."job_title" as "jobTitle", "own"."job_location" as "jobLocation", "own"."advertiser_name" as "advertiserName", "own"."submitted_at" as "submittedAt", "screen"."application_id" as "answeredId", "application"."status", "application"."erased_at"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2;
select "file"."application_id", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."blob", "file"."sha256", "file"."size", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan", "file"."uploaded_at" as "uploadedAt"
  from "own_applications" as "own"
  inner join "application_files" as "file" on "file"."advertiser_id" = "own"."advertiser_id"
  and "file"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."submitted_at" >= $2
  and "own"."submitted_at" <= $3;

-- notices.findDisclosure
select "name"
  from "oauth_clients"
  where "id" = $1;
select "name"
  from "advertisers"
  where "id" = $1;

-- notices.findNew
select "advertiser"."name", "advertiser"."status", "membership"."visited_at" as "visitedAt", "next_retention_months" as "months", "retention_changes_at" as "changesAt"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = $1
  and "membership"."candidate_id" = $2;
select "ad"."title" as "jobTitle", count(*) as "count"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = $1
  and "application"."id" >= $2
  and "application"."id" <= $3
  and "application"."status" != $4
  and "application"."erased_at" is null group by "ad"."id", "ad"."title";

-- notices.findWithdrawn
select "advertiser"."name", "advertiser"."status", "membership"."visited_at" as "visitedAt", "next_retention_months" as "months", "retention_changes_at" as "changesAt"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = $1
  and "membership"."candidate_id" = $2;
select "ad"."title" as "jobTitle"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = $1
  and "application"."id" = $2;

-- notices.findFailingWebhook
select "advertiser"."name", "advertiser"."status", "membership"."visited_at" as "visitedAt", "next_retention_months" as "months", "retention_changes_at" as "changesAt"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = $1
  and "membership"."candidate_id" = $2;
select "url", "failing_since" as "since", "stop_reason" as "reason"
  from "webhook_endpoints"
  where "id" = $1
  and "advertiser_id" = $2;

-- notices.findRetention
select "advertiser"."name", "advertiser"."status", "membership"."visited_at" as "visitedAt", "next_retention_months" as "months", "retention_changes_at" as "changesAt"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = $1
  and "membership"."candidate_id" = $2;

-- notices.recordRefusal (an address says which account is meant)
update "candidates"
  set "mail_refused_at" = $1, "mail_refusal" = $2
  where "email" = $3;

-- notices.findRefusal
select "mail_refused_at" as "at", "mail_refusal" as "words"
  from "candidates"
  where "id" = $1;

-- notices.clearRefusal
update "candidates"
  set "mail_refused_at" = $1, "mail_refusal" = $2
  where "id" = $3;

-- notifications.preferences
select "muted", "mail_refused_at" as "refusedAt"
  from "candidates"
  where "id" = $1;

-- notifications.setMuted
update "candidates"
  set "muted" = $1
  where "id" = $2;

-- notifications.setTopic
update "candidates"
  set "muted" = muted & ~ 1
  where "id" = $1;
update "candidates"
  set "muted" = muted | 1
  where "id" = $1;

-- notifications.rhythm
select "notify"
  from "memberships"
  where "advertiser_id" = $1
  and "candidate_id" = $2;

-- notifications.setRhythm
update "memberships"
  set "notify" = $1, "told_up_to" = case when notify = 'off' then coalesce((select max(id)
      from applications
      where advertiser_id = $2), 0) else told_up_to end
  where "advertiser_id" = $3
  and "candidate_id" = $4
  and "notify" != $5;
update "memberships"
  set "notify" = $1, "told_up_to" = case when notify = 'off' then coalesce((select max(id)
      from applications
      where advertiser_id = $2), 0) else told_up_to end, "told_at" = $3
  where "advertiser_id" = $4
  and "candidate_id" = $5
  and "notify" != $6;

-- notifications.linkKey (one key for the whole service)
insert into "meta" ("key", "value")
  values ($1, $2)
  on conflict ("key") do nothing;
select "value"
  from "meta"
  where "key" = $1;

-- digests.zones (writes to the members of every company that has something new)
select distinct "advertiser"."time_zone"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "advertiser"."status" = $1
  and "membership"."notify" = $2;

-- digests.dueSoon (writes to the members of every company that has something new)
select "membership"."advertiser_id" as "advertiserId", "membership"."candidate_id" as "candidateId", "membership"."notify" as "rhythm", "membership"."told_up_to" as "toldUpTo", "membership"."told_at" as "toldAt", (select application.id
    from applications application
    where application.advertiser_id = membership.advertiser_id
    and application.id > membership.told_up_to
    and application.erased_at is null
    and application.status <> 'withdrawn'
    order by application.id desc
    limit 1) as "newestId"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "advertiser"."status" = $1
  and "membership"."notify" = $2
  and ("membership"."told_at" <= $3 or "membership"."told_at" > $4)
  and (select application.id
    from applications application
    where application.advertiser_id = membership.advertiser_id
    and application.id > membership.told_up_to
    and application.erased_at is null
    and application.status <> 'withdrawn'
    order by application.id desc
    limit 1) is not null
  order by "membership"."advertiser_id", "membership"."candidate_id"
  limit $5;

-- digests.dueDaily (writes to the members of every company that has something new)
select "membership"."advertiser_id" as "advertiserId", "membership"."candidate_id" as "candidateId", "membership"."notify" as "rhythm", "membership"."told_up_to" as "toldUpTo", "membership"."told_at" as "toldAt", (select application.id
    from applications application
    where application.advertiser_id = membership.advertiser_id
    and application.id > membership.told_up_to
    and application.erased_at is null
    and application.status <> 'withdrawn'
    order by application.id desc
    limit 1) as "newestId"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "advertiser"."status" = $1
  and "membership"."notify" = $2
  and (("advertiser"."time_zone" is null
      and ("membership"."told_at" < $3 or "membership"."told_at" > $4)) or ("advertiser"."time_zone" = $5
      and ("membership"."told_at" < $6 or "membership"."told_at" > $7)))
  order by "membership"."advertiser_id", "membership"."candidate_id"
  limit $8;

-- digests.tell (writes to the members of every company that has something new)
select "membership"."advertiser_id" as "advertiserId", "membership"."candidate_id" as "candidateId", "membership"."notify" as "rhythm", "membership"."told_up_to" as "toldUpTo", "membership"."told_at" as "toldAt", (select application.id
    from applications application
    where application.advertiser_id = membership.advertiser_id
    and application.id > membership.told_up_to
    and application.erased_at is null
    and application.status <> 'withdrawn'
    order by application.id desc
    limit 1) as "newestId"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "advertiser"."status" = $1
  and "membership"."notify" = $2
  and ("advertiser"."time_zone" is null
    and ("membership"."told_at" < $3 or "membership"."told_at" > $4))
  order by "membership"."advertiser_id", "membership"."candidate_id"
  limit $5;

-- members.find
select "advertiser"."id" as "advertiserId", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."status" as "status", "advertiser"."time_zone" as "timeZone", "membership"."role" as "role", "advertiser"."requires_factor" as "requiresFactor"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = $1
  and "membership"."candidate_id" = $2;

-- members.workplacesOf
select "advertiser"."id" as "advertiserId", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."status" as "status", "advertiser"."time_zone" as "timeZone", "membership"."role" as "role"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."candidate_id" = $1
  order by "advertiser"."name", "advertiser"."id";

-- members.list
select (exists (select "candidate_id"
      from "totp_factors"
      where "totp_factors"."candidate_id" = "candidate"."id") or exists (select "candidate_id"
      from "passkeys"
      where "passkeys"."candidate_id" = "candidate"."id")) as "hasFactor", "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."last_name" as "lastName", "membership"."role" as "role", "membership"."created_at" as "since"
  from "memberships" as "membership"
  inner join "candidates" as "candidate" on "candidate"."id" = "membership"."candidate_id"
  where "membership"."advertiser_id" = $1
  order by "membership"."created_at", "candidate"."email";

-- members.listInvitations
select "id", "email", "role", "created_at" as "createdAt", "expires_at" as "expiresAt"
  from "invitations"
  where "advertiser_id" = $1
  and "expires_at" > $2
  order by "created_at", "id";

-- members.invite
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "candidate"."email"
  from "memberships" as "member"
  inner join "candidates" as "candidate" on "candidate"."id" = "member"."candidate_id"
  where "member"."advertiser_id" = $1;
select "email"
  from "invitations"
  where "advertiser_id" = $1
  and "expires_at" > $2;
delete from "invitations"
  where "advertiser_id" = $1
  and "email" = $2;
insert into "invitations" ("hash", "former_hash", "id", "advertiser_id", "email", "role", "created_at", "expires_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8);

-- members.drawLink
update "invitations"
  set "former_hash" = "hash", "hash" = $1
  where "advertiser_id" = $2
  and "id" = $3
  and "expires_at" > $4
  returning "email", "role";
select "name"
  from "advertisers"
  where "id" = $1;

-- members.setRole
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "candidate_id"
  from "memberships"
  where "advertiser_id" = $1
  and "role" = $2;
select "role"
  from "memberships"
  where "advertiser_id" = $1
  and "candidate_id" = $2;
update "memberships"
  set "role" = $1
  where "advertiser_id" = $2
  and "candidate_id" = $3;

-- members.remove
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "candidate_id"
  from "memberships"
  where "advertiser_id" = $1
  and "role" = $2;
delete from "memberships"
  where "advertiser_id" = $1
  and "candidate_id" = $2
  returning "created_at", "role";
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- members.takeBack
delete from "invitations"
  where "advertiser_id" = $1
  and "id" = $2
  returning "role";

-- members.findInvitation (the secret is what says who asks)
select "hash"
  from "invitations"
  where "former_hash" = $1;
select "owner"."id" as "ownerId", "owner"."name" as "ownerName", "invitation"."role" as "role", "invitation"."email" as "email", "candidate"."email_confirmed_at" as "confirmedAt"
  from "invitations" as "invitation"
  inner join "advertisers" as "owner" on "owner"."id" = "invitation"."advertiser_id" left join "candidates" as "candidate" on "candidate"."email" = "invitation"."email"
  where "invitation"."hash" = $1
  and "invitation"."expires_at" > $2;

-- members.join (the secret is what says who asks)
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "hash"
  from "invitations"
  where "former_hash" = $1;
delete from "invitations"
  where "hash" = $1
  and "expires_at" > $2
  and "email" = $3
  returning "hash", "former_hash", "id", "advertiser_id", "email", "role", "created_at", "expires_at";
select "role"
  from "memberships"
  where "advertiser_id" = $1
  and "candidate_id" = $2;
insert into "memberships" ("advertiser_id", "candidate_id", "role", "created_at", "told_up_to", "told_at")
  values ($1, $2, $3, $4, coalesce((select max(id)
        from applications
        where advertiser_id = $5), 0), $6)
  on conflict ("advertiser_id", "candidate_id") do update
  set "role" = $7;

-- members.joinWithAccount (the secret is what says who asks)
select "hash"
  from "invitations"
  where "former_hash" = $1;
delete from "invitations"
  where "hash" = $1
  and "expires_at" > $2
  returning "hash", "former_hash", "id", "advertiser_id", "email", "role", "created_at", "expires_at";
insert into "candidates" ("email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "id", "email", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("email") do update
  set "email_confirmed_at" = $9, "password_hash" = $10, "first_name" = $11, "last_name" = $12, "profile" = $13
  where "candidates"."email_confirmed_at" is null
  returning "id";
delete from "account_links"
  where "candidate_id" = $1;
select "role"
  from "memberships"
  where "advertiser_id" = $1
  and "candidate_id" = $2;
insert into "memberships" ("advertiser_id", "candidate_id", "role", "created_at", "told_up_to", "told_at")
  values ($1, $2, $3, $4, coalesce((select max(id)
        from applications
        where advertiser_id = $5), 0), $6)
  on conflict ("advertiser_id", "candidate_id") do update
  set "role" = $7;

-- sentForms.claim (the key of a form is a hash of who has sent it, and of a random value)
insert into "sent_forms" ("key", "location", "expires_at")
  values ($1, $2, $3)
  on conflict ("key") do update
  set "location" = $4, "expires_at" = $5
  where "sent_forms"."expires_at" <= $6;

-- sentForms.finish (the key of a form is a hash of who has sent it, and of a random value)
update "sent_forms"
  set "location" = $1, "expires_at" = $2
  where "key" = $3
  and "expires_at" = $4;

-- sentForms.find (the key of a form is a hash of who has sent it, and of a random value)
select "location"
  from "sent_forms"
  where "key" = $1;

-- sentForms.release (the key of a form is a hash of who has sent it, and of a random value)
delete from "sent_forms"
  where "key" = $1
  and "expires_at" = $2;

-- operators.find (the operator's own look-up or list)
select "role"
  from "operators"
  where "candidate_id" = $1;

-- operators.isAny (the operator's own look-up or list)
select "role"
  from "operators"
  limit $1;

-- operators.list (the operator's own look-up or list)
select "candidate"."id" as "candidateId", "candidate"."email", "operator"."role", "operator"."created_at" as "since"
  from "operators" as "operator"
  inner join "candidates" as "candidate" on "candidate"."id" = "operator"."candidate_id"
  order by "operator"."created_at", "candidate"."email";

-- operators.listInvitations (the operator's own look-up or list)
select "id", "email", "role", "created_at" as "createdAt", "expires_at" as "expiresAt"
  from "operator_invitations"
  where "expires_at" > $1
  order by "created_at", "id";

-- operators.invite (the operator's own look-up or list)
select "operator"."role"
  from "operators" as "operator"
  inner join "candidates" as "candidate" on "candidate"."id" = "operator"."candidate_id"
  where "candidate"."email" = $1;
insert into "operator_invitations" ("id", "hash", "role", "created_at", "expires_at", "email")
  values ($1, $2, $3, $4, $5, $6)
  on conflict ("email") do update
  set "id" = $7, "hash" = $8, "role" = $9, "created_at" = $10, "expires_at" = $11;

-- operators.findInvitation (the secret is what says who asks)
select "invitation"."email", "invitation"."role", "candidate"."email_confirmed_at" as "confirmedAt"
  from "operator_invitations" as "invitation" left join "candidates" as "candidate" on "candidate"."email" = "invitation"."email"
  where "invitation"."hash" = $1
  and "invitation"."expires_at" > $2;

-- operators.join (the secret is what says who asks)
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
delete from "operator_invitations"
  where "hash" = $1
  and "expires_at" > $2
  and "email" = $3
  returning "hash", "id", "email", "role", "created_at", "expires_at";
select "operator"."role"
  from "operators" as "operator"
  inner join "candidates" as "candidate" on "candidate"."id" = "operator"."candidate_id"
  where "candidate"."email" = $1;
insert into "operator_invitations" ("id", "hash", "role", "created_at", "expires_at", "email")
  values ($1, $2, $3, $4, $5, $6)
  on conflict ("email") do update
  set "id" = $7, "hash" = $8, "role" = $9, "created_at" = $10, "expires_at" = $11;
select "role"
  from "operators"
  where "candidate_id" = $1;
insert into "operators" ("candidate_id", "role", "created_at")
  values ($1, $2, $3)
  on conflict ("candidate_id") do nothing;
insert into "operators" ("candidate_id", "role", "created_at")
  values ($1, $2, $3)
  on conflict ("candidate_id") do update
  set "role" = $4;

-- operators.joinWithAccount (the secret is what says who asks)
select "operator"."role"
  from "operators" as "operator"
  inner join "candidates" as "candidate" on "candidate"."id" = "operator"."candidate_id"
  where "candidate"."email" = $1;
insert into "operator_invitations" ("id", "hash", "role", "created_at", "expires_at", "email")
  values ($1, $2, $3, $4, $5, $6)
  on conflict ("email") do update
  set "id" = $7, "hash" = $8, "role" = $9, "created_at" = $10, "expires_at" = $11;
delete from "operator_invitations"
  where "hash" = $1
  and "expires_at" > $2
  returning "hash", "id", "email", "role", "created_at", "expires_at";
insert into "candidates" ("email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "id", "email", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("email") do update
  set "email_confirmed_at" = $9, "password_hash" = $10, "first_name" = $11, "last_name" = $12, "profile" = $13
  where "candidates"."email_confirmed_at" is null
  returning "id";
delete from "account_links"
  where "candidate_id" = $1;
select "role"
  from "operators"
  where "candidate_id" = $1;
insert into "operators" ("candidate_id", "role", "created_at")
  values ($1, $2, $3)
  on conflict ("candidate_id") do update
  set "role" = $4;

-- operators.takeBack (the operator's own look-up or list)
delete from "operator_invitations"
  where "id" = $1
  returning "id", "role";
delete from "operator_invitations"
  where "email" = $1
  returning "id", "role";

-- operators.remove (the operator's own look-up or list)
select "candidate_id", "role", "created_at"
  from "operators"
  order by "candidate_id" for update;
delete from "operators"
  where "candidate_id" = $1;
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- board.companies (the operator's own look-up or list)
select "advertiser"."id", (select count(*) as "count"
    from "memberships"
    where "memberships"."advertiser_id" = "advertiser"."id") as "people", (select count(*) as "count"
    from "memberships"
    where "memberships"."advertiser_id" = "advertiser"."id"
    and "memberships"."role" = $1) as "admins", coalesce((select sum(applications)
      from application_counts
      where advertiser_id = advertiser.id), 0) as "applications", coalesce((select sum(calls)
      from api_call_days
      where advertiser_id = advertiser.id
      and day >= $2), 0) as "calls", "ledger"."last_submitted_at" as "lastAt"
  from "advertisers" as "advertiser"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "advertiser"."id"
  order by "advertiser"."id";

-- board.unjudged (the operator's own look-up or list)
select "not_judged", count(*) as "count", min("uploaded_at") as "oldestAt"
  from "application_files"
  where "scan" = 'unscanned'
  and "blob" > $1 group by "not_judged"
  order by "not_judged";
select "not_judged", count(*) as "count", min("uploaded_at") as "oldestAt"
  from "resumes"
  where "scan" = 'unscanned'
  and "blob" > $1 group by "not_judged"
  order by "not_judged";

-- board.infected (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "id" as "applicationId"
  from "applications"
  where "has_virus" = 1
  order by "id" desc
  limit $1;

-- board.refused (the operator's own look-up or list)
select "id" as "candidateId", "mail_refused_at" as "at", "mail_refusal" as "words"
  from "candidates"
  where "mail_refused_at" is not null
  order by "mail_refused_at" desc
  limit $1;

-- board.liftRefusal (the operator's own look-up or list)
update "candidates"
  set "mail_refused_at" = $1, "mail_refusal" = $2
  where "id" = $3
  and "mail_refused_at" is not null;

-- board.record (the operator's own look-up or list)


-- board.nodes (the operator's own look-up or list)
select "id", "release", "seen_at" as "seenAt"
  from "nodes"
  order by "seen_at" desc, "id";

-- board.findPerson (the operator's own look-up or list)
select distinct "application"."advertiser_id" as "advertiserId", "application"."id" as "applicationId", "application"."submitted_at" as "submittedAt", "application"."status", "hold"."application_id" as "heldId", "application"."email"
  from "advertisers" as "advertiser"
  inner join "application_terms" as "term" on "term"."advertiser_id" = "advertiser"."id"
  inner join "applications" as "application" on "application"."advertiser_id" = "term"."advertiser_id"
  and "application"."id" = "term"."application_id" left join "application_holds" as "hold" on "hold"."advertiser_id" = "application"."advertiser_id"
  and "hold"."application_id" = "application"."id"
  where "term"."term" in ($1, $2)
  and "application"."erased_at" is null
  order by "application"."id";
select "candidate"."id" as "candidateId", "candidate"."created_at" as "createdAt", "candidate"."email_confirmed_at" as "confirmedAt", (select count(*) as "count"
    from "resumes"
    where "resumes"."candidate_id" = "candidate"."id") as "resumes", (select count(*) as "count"
    from "grants"
    where "grants"."candidate_id" = "candidate"."id"
    and "grants"."withdrawn_at" is null) as "consents", (select count(*) as "count"
    from "memberships"
    where "memberships"."candidate_id" = "candidate"."id") as "companies", (select count(*) as "count"
    from "operators"
    where "operators"."candidate_id" = "candidate"."id") as "operators"
  from "candidates" as "candidate"
  where "candidate"."email" = $1;

-- taskRuns.record (the operator's own look-up or list)
insert into "task_runs" ("name", "failed_at", "fault", "started_at", "ended_at", "outcome", "every_seconds", "detail")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("name") do update
  set "started_at" = $9, "ended_at" = $10, "outcome" = $11, "every_seconds" = $12, "detail" = $13;
insert into "task_runs" ("name", "failed_at", "fault", "started_at", "ended_at", "outcome", "every_seconds", "detail")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("name") do update
  set "started_at" = $9, "ended_at" = $10, "outcome" = $11, "every_seconds" = $12, "detail" = $13, "failed_at" = $14, "fault" = $15;

-- taskRuns.list (the operator's own look-up or list)
select "run"."name", "run"."started_at" as "startedAt", "run"."ended_at" as "endedAt", "run"."outcome", "run"."detail", "run"."failed_at" as "failedAt", "run"."fault", "run"."every_seconds" as "everySeconds", "lease"."held_until" as "heldUntil"
  from "task_runs" as "run" left join "leases" as "lease" on "lease"."name" = "run"."name"
  order by "run"."name";

-- agents.companiesOf
select "advertiser"."id" as "advertiserId", "advertiser"."name", "advertiser"."status", "authorisation"."authorised_at" as "authorisedAt"
  from "agent_authorisations" as "authorisation"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "authorisation"."advertiser_id"
  where "authorisation"."agent_id" = $1
  order by "advertiser"."name", "advertiser"."id";

-- agentMembers.find
select "agent"."id" as "agentId", "agent"."name" as "agentName", "member"."role" as "role"
  from "agent_members" as "member"
  inner join "agents" as "agent" on "agent"."id" = "member"."agent_id"
  where "member"."agent_id" = $1
  and "member"."candidate_id" = $2;

-- agentMembers.workplacesOf
select "agent"."id" as "agentId", "agent"."name" as "agentName", "member"."role" as "role"
  from "agent_members" as "member"
  inner join "agents" as "agent" on "agent"."id" = "member"."agent_id"
  where "member"."candidate_id" = $1
  order by "agent"."name", "agent"."id";

-- agentMembers.list
select "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."last_name" as "lastName", "member"."role" as "role", "member"."created_at" as "since"
  from "agent_members" as "member"
  inner join "candidates" as "candidate" on "candidate"."id" = "member"."candidate_id"
  where "member"."agent_id" = $1
  order by "member"."created_at", "candidate"."email";

-- agentMembers.listInvitations
select "id", "email", "role", "created_at" as "createdAt", "expires_at" as "expiresAt"
  from "agent_invitations"
  where "agent_id" = $1
  and "expires_at" > $2
  order by "created_at", "id";

-- agentMembers.invite
select "id"
  from "agents"
  where "id" = $1 for no key update;
select "candidate"."email"
  from "agent_members" as "member"
  inner join "candidates" as "candidate" on "candidate"."id" = "member"."candidate_id"
  where "member"."agent_id" = $1;
select "email"
  from "agent_invitations"
  where "agent_id" = $1
  and "expires_at" > $2;
delete from "agent_invitations"
  where "agent_id" = $1
  and "email" = $2;
insert into "agent_invitations" ("hash", "former_hash", "id", "agent_id", "email", "role", "created_at", "expires_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8);

-- agentMembers.drawLink
update "agent_invitations"
  set "former_hash" = "hash", "hash" = $1
  where "agent_id" = $2
  and "id" = $3
  and "expires_at" > $4
  returning "email", "role";
select "name"
  from "agents"
  where "id" = $1;

-- agentMembers.setRole
select "id"
  from "agents"
  where "id" = $1 for no key update;
select "candidate_id"
  from "agent_members"
  where "agent_id" = $1
  and "role" = $2;
select "role"
  from "agent_members"
  where "agent_id" = $1
  and "candidate_id" = $2;
update "agent_members"
  set "role" = $1
  where "agent_id" = $2
  and "candidate_id" = $3;

-- agentMembers.remove
select "id"
  from "agents"
  where "id" = $1 for no key update;
select "candidate_id"
  from "agent_members"
  where "agent_id" = $1
  and "role" = $2;
delete from "agent_members"
  where "agent_id" = $1
  and "candidate_id" = $2
  returning "created_at", "role";
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- agentMembers.takeBack
delete from "agent_invitations"
  where "agent_id" = $1
  and "id" = $2
  returning "role";

-- agentMembers.findInvitation (the secret is what says who asks)
select "hash"
  from "agent_invitations"
  where "former_hash" = $1;
select "owner"."id" as "ownerId", "owner"."name" as "ownerName", "invitation"."role" as "role", "invitation"."email" as "email", "candidate"."email_confirmed_at" as "confirmedAt"
  from "agent_invitations" as "invitation"
  inner join "agents" as "owner" on "owner"."id" = "invitation"."agent_id" left join "candidates" as "candidate" on "candidate"."email" = "invitation"."email"
  where "invitation"."hash" = $1
  and "invitation"."expires_at" > $2;

-- agentMembers.join (the secret is what says who asks)
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "hash"
  from "agent_invitations"
  where "former_hash" = $1;
delete from "agent_invitations"
  where "hash" = $1
  and "expires_at" > $2
  and "email" = $3
  returning "hash", "former_hash", "id", "agent_id", "email", "role", "created_at", "expires_at";
select "role"
  from "agent_members"
  where "agent_id" = $1
  and "candidate_id" = $2;
insert into "agent_members" ("agent_id", "candidate_id", "role", "created_at")
  values ($1, $2, $3, $4)
  on conflict ("agent_id", "candidate_id") do update
  set "role" = $5;

-- agentMembers.joinWithAccount (the secret is what says who asks)
select "hash"
  from "agent_invitations"
  where "former_hash" = $1;
delete from "agent_invitations"
  where "hash" = $1
  and "expires_at" > $2
  returning "hash", "former_hash", "id", "agent_id", "email", "role", "created_at", "expires_at";
insert into "candidates" ("email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "id", "email", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("email") do update
  set "email_confirmed_at" = $9, "password_hash" = $10, "first_name" = $11, "last_name" = $12, "profile" = $13
  where "candidates"."email_confirmed_at" is null
  returning "id";
delete from "account_links"
  where "candidate_id" = $1;
select "role"
  from "agent_members"
  where "agent_id" = $1
  and "candidate_id" = $2;
insert into "agent_members" ("agent_id", "candidate_id", "role", "created_at")
  values ($1, $2, $3, $4)
  on conflict ("agent_id", "candidate_id") do update
  set "role" = $5;

-- usage.addCalls (what a node has counted for all advertisers goes in one transaction, each count to its own)
insert into "api_call_days" ("advertiser_id", "day", "calls") select "id", cast($1 as text) as "day", cast($2 as bigint) as "calls"
  from "advertisers"
  where "id" = $3
  on conflict ("advertiser_id", "day") do update
  set "calls" = api_call_days.calls + excluded.calls;

-- agentCalls.add (what a node has counted for all advertisers goes in one transaction, each count to its own)
insert into "agent_call_days" ("agent_id", "advertiser_id", "day", "code", "calls", "last_at") select "agent"."id", "advertiser"."id" as "advertiser_id", cast($1 as text) as "day", cast($2 as text) as "code", cast($3 as bigint) as "calls", cast($4 as bigint) as "last_at"
  from "agents" as "agent", "advertisers" as "advertiser"
  where "agent"."id" = $5
  and "advertiser"."id" = $6
  on conflict ("agent_id", "day", "advertiser_id", "code") do update
  set "calls" = agent_call_days.calls + excluded.calls, "last_at" = case when excluded.last_at > agent_call_days.last_at then excluded.last_at else agent_call_days.last_at end;

-- agentCalls.days
select "day", "code", cast(sum("calls") as bigint) as "calls"
  from "agent_call_days"
  where "agent_id" = $1
  and "day" >= $2 group by "day", "code"
  order by "day" desc, "code";

-- agentCalls.last
select "advertiser_id" as "advertiserId", max("last_at") as "lastAt"
  from "agent_call_days"
  where "agent_id" = $1
  and "code" = $2 group by "advertiser_id";

-- reads.addReads (what a node has counted for all advertisers goes in one transaction, each count to its own)
insert into "application_reads" ("advertiser_id", "application_id", "day", "reader", "way", "first_at", "last_at") select "advertiser_id", "id", cast($1 as text) as "day", cast($2 as text) as "reader", cast($3 as text) as "way", cast($4 as bigint) as "first_at", cast($5 as bigint) as "last_at"
  from "applications"
  where "advertiser_id" = $6
  and "id" = $7
  and "erased_at" is null for share
  on conflict ("advertiser_id", "application_id", "day", "reader", "way") do update
  set "last_at" = case when excluded.last_at > "application_reads"."last_at" then excluded.last_at else "application_reads"."last_at" end;

-- reads.addLists (what a node has counted for all advertisers goes in one transaction, each count to its own)
insert into "list_reads" ("advertiser_id", "day", "reader", "way", "first_id", "last_id", "first_at", "last_at") select "id", cast($1 as text) as "day", cast($2 as text) as "reader", cast($3 as text) as "way", cast($4 as bigint) as "first_id", cast($5 as bigint) as "last_id", cast($6 as bigint) as "first_at", cast($7 as bigint) as "last_at"
  from "advertisers"
  where "id" = $8
  on conflict ("advertiser_id", "day", "reader", "way", "first_id") do update
  set "last_id" = case when excluded.last_id > list_reads.last_id then excluded.last_id else list_reads.last_id end, "last_at" = case when excluded.last_at > "list_reads"."last_at" then excluded.last_at else "list_reads"."last_at" end;

-- usage.calls
select "day", "calls" as "count"
  from "api_call_days"
  where "advertiser_id" = $1
  and "day" >= $2;

-- usage.lastApplicationAt
select "last_submitted_at"
  from "advertiser_ledger"
  where "advertiser_id" = $1;

-- usage.countApplications
select count(*) as "count"
  from "applications"
  where "advertiser_id" = $1
  and "submitted_at" >= $2
  and "submitted_at" < $3;

-- usage.countedDays
select "day", "applications" as "count"
  from "application_days"
  where "advertiser_id" = $1
  and "day" >= $2
  order by "day";

-- usage.keepDays
insert into "application_days" ("advertiser_id", "day", "applications")
  values ($1, $2, $3)
  on conflict ("advertiser_id", "day") do nothing;

-- endpoints.add
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select count(*) as "count"
  from "webhook_endpoints"
  where "advertiser_id" = $1;
insert into "webhook_endpoints" ("advertiser_id", "agent_id", "id", "url", "description", "scheme", "types", "state", "created_at", "rotated_at", "overlap_until")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  returning "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms";

-- endpoints.list
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms"
  from "webhook_endpoints"
  where "advertiser_id" = $1
  order by "created_at", "id";

-- endpoints.find
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms"
  from "webhook_endpoints"
  where "advertiser_id" = $1
  and "id" = $2
  order by "created_at", "id";

-- endpoints.findAny (the operator's own look-up or list)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms"
  from "webhook_endpoints"
  where "id" = $1
  order by "created_at", "id";

-- endpoints.listAll (the operator's own look-up or list)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms"
  from "webhook_endpoints"
  order by "created_at", "id";

-- endpoints.change
update "webhook_endpoints"
  set "description" = $1
  where "advertiser_id" = $2
  and "id" = $3;

-- endpoints.rotate
update "webhook_endpoints"
  set "generation" = "generation" + $1, "rotated_at" = $2, "overlap_until" = $3
  where "advertiser_id" = $4
  and "id" = $5;

-- endpoints.retire
update "webhook_endpoints"
  set "overlap_until" = $1
  where "advertiser_id" = $2
  and "id" = $3;

-- endpoints.recordTest (by the ID of an endpoint that the service has found to be the owner’s)
update "webhook_endpoints"
  set "answer_ms" = $1, "skew_ms" = $2
  where "id" = $3;
insert into "webhook_attempts" ("endpoint_id", "at", "advertiser_id", "number", "attempt", "outcome", "status", "ms", "answer")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict do nothing;

-- endpoints.testsSince (by the ID of an endpoint that the service has found to be the owner’s)
select count(*) as "count"
  from "webhook_attempts"
  where "endpoint_id" = $1
  and "at" >= $2
  and "number" = $3;

-- lanes.findDue (the processes share the work between them; a lease says which one may change a lane)
select "webhook_lanes"."id", "endpoint"."id" as "endpointId", "endpoint"."answer_ms" as "answerMs"
  from "webhook_lanes"
  inner join "webhook_endpoints" as "endpoint" on "endpoint"."id" = "webhook_lanes"."endpoint_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "webhook_lanes"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "webhook_lanes"."advertiser_id"
  where "webhook_lanes"."ended_at" is null
  and ("webhook_lanes"."due_at" <= $1 or "webhook_lanes"."due_at" > $2 or ("webhook_lanes"."tries" = $3
      and "webhook_lanes"."kind" != $4))
  and ("webhook_lanes"."leased_until" <= $5 or "webhook_lanes"."leased_until" > $6)
  and "endpoint"."state" = $7
  and "advertiser"."status" = $8
  and "ledger"."event_number" > "webhook_lanes"."sent"
  and "webhook_lanes"."advertiser_id" in ($9)
  and "endpoint"."answer_ms" <= $10
  and "endpoint"."id" not in ($11)
  order by "webhook_lanes"."due_at", "webhook_lanes"."id"
  limit $12;
update "webhook_lanes"
  set "lease" = "lease" + $1, "leased_until" = $2
  where "id" = $3
  and "ended_at" is null
  and ("webhook_lanes"."due_at" <= $4 or "webhook_lanes"."due_at" > $5 or ("webhook_lanes"."tries" = $6
      and "webhook_lanes"."kind" != $7))
  and ("webhook_lanes"."leased_until" <= $8 or "webhook_lanes"."leased_until" > $9)
  and exists (select "endpoint"."id"
    from "webhook_endpoints" as "endpoint"
    where "endpoint"."id" = "webhook_lanes"."endpoint_id"
    and "endpoint"."state" = $10)
  returning "id", "kind", "lease", "advertiser_id", "sent", "end_number", "tries", "types", "endpoint_id";
select "id", "url", "scheme", "generation", "overlap_until", "types", (select count(*) as "count"
    from "webhook_lanes" as "parked"
    where "parked"."endpoint_id" = "endpoint"."id"
    and "parked"."kind" = $1
    and "parked"."ended_at" is null) as "parked"
  from "webhook_endpoints" as "endpoint"
  where "id" = $2;

-- lanes.take (the processes share the work between them; a lease says which one may change a lane)
select "webhook_lanes"."id", "endpoint"."id" as "endpointId", "endpoint"."answer_ms" as "answerMs"
  from "webhook_lanes"
  inner join "webhook_endpoints" as "endpoint" on "endpoint"."id" = "webhook_lanes"."endpoint_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "webhook_lanes"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "webhook_lanes"."advertiser_id"
  where "webhook_lanes"."ended_at" is null
  and ("webhook_lanes"."due_at" <= $1 or "webhook_lanes"."due_at" > $2 or ("webhook_lanes"."tries" = $3
      and "webhook_lanes"."kind" != $4))
  and ("webhook_lanes"."leased_until" <= $5 or "webhook_lanes"."leased_until" > $6)
  and "endpoint"."state" = $7
  and "advertiser"."status" = $8
  and "ledger"."event_number" > "webhook_lanes"."sent"
  and "webhook_lanes"."advertiser_id" in ($9)
  and "endpoint"."answer_ms" <= $10
  and "endpoint"."id" not in ($11)
  order by "webhook_lanes"."due_at", "webhook_lanes"."id"
  limit $12;
update "webhook_lanes"
  set "lease" = "lease" + $1, "leased_until" = $2
  where "id" = $3
  and "ended_at" is null
  and ("webhook_lanes"."due_at" <= $4 or "webhook_lanes"."due_at" > $5 or ("webhook_lanes"."tries" = $6
      and "webhook_lanes"."kind" != $7))
  and ("webhook_lanes"."leased_until" <= $8 or "webhook_lanes"."leased_until" > $9)
  and exists (select "endpoint"."id"
    from "webhook_endpoints" as "endpoint"
    where "endpoint"."id" = "webhook_lanes"."endpoint_id"
    and "endpoint"."state" = $10)
  returning "id", "kind", "lease", "advertiser_id", "sent", "end_number", "tries", "types", "endpoint_id";

-- lanes.record (the processes share the work between them; a lease says which one may change a lane)
select "webhook_lanes"."id", "endpoint"."id" as "endpointId", "endpoint"."answer_ms" as "answerMs"
  from "webhook_lanes"
  inner join "webhook_endpoints" as "endpoint" on "endpoint"."id" = "webhook_lanes"."endpoint_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "webhook_lanes"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "webhook_lanes"."advertiser_id"
  where "webhook_lanes"."ended_at" is null
  and ("webhook_lanes"."due_at" <= $1 or "webhook_lanes"."due_at" > $2 or ("webhook_lanes"."tries" = $3
      and "webhook_lanes"."kind" != $4))
  and ("webhook_lanes"."leased_until" <= $5 or "webhook_lanes"."leased_until" > $6)
  and "endpoint"."state" = $7
  and "advertiser"."status" = $8
  and "ledger"."event_number" > "webhook_lanes"."sent"
  and "webhook_lanes"."advertiser_id" in ($9)
  and "endpoint"."answer_ms" <= $10
  and "endpoint"."id" not in ($11)
  order by "webhook_lanes"."due_at", "webhook_lanes"."id"
  limit $12;
update "webhook_lanes"
  set "lease" = "lease" + $1, "leased_until" = $2
  where "id" = $3
  and "ended_at" is null
  and ("webhook_lanes"."due_at" <= $4 or "webhook_lanes"."due_at" > $5 or ("webhook_lanes"."tries" = $6
      and "webhook_lanes"."kind" != $7))
  and ("webhook_lanes"."leased_until" <= $8 or "webhook_lanes"."leased_until" > $9)
  and exists (select "endpoint"."id"
    from "webhook_endpoints" as "endpoint"
    where "endpoint"."id" = "webhook_lanes"."endpoint_id"
    and "endpoint"."state" = $10)
  returning "id", "kind", "lease", "advertiser_id", "sent", "end_number", "tries", "types", "endpoint_id";

-- endpoints.activate (by the ID of an endpoint that the service has found to be the owner’s)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms"
  from "webhook_endpoints"
  where "id" = $1
  order by "created_at", "id";
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
update "webhook_lanes"
  set "tries" = $1, "due_at" = $2
  where "endpoint_id" = $3
  and "kind" <> $4
  and "ended_at" is null;
update "webhook_endpoints"
  set "state" = $1, "failing_since" = $2, "failed_at" = $3, "told" = $4, "stopped_at" = $5, "stop_reason" = $6
  where "id" = $7;

-- endpoints.pause
update "webhook_endpoints"
  set "state" = $1
  where "advertiser_id" = $2
  and "id" = $3
  and "state" = $4;

-- endpoints.lanes (by the ID of an endpoint that the service has found to be the owner’s)
select "id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "tries", "due_at", "lease", "leased_until", "delivered", "created_at", "ended_at", "ended"
  from "webhook_lanes"
  where "endpoint_id" = $1
  and "kind" <> $2
  order by "created_at" desc, "id"
  limit $3;

-- endpoints.backlog (by the ID of an endpoint that the service has found to be the owner’s)
select min("due_at") as "at"
  from "webhook_lanes"
  where "endpoint_id" = $1
  and "kind" = $2
  and "tries" > $3;
select count(*) as "events", min("number") as "oldestAt"
  from (select "event"."number"
    from "webhook_lanes" as "lane"
    inner join "events" as "event" on "event"."advertiser_id" = "lane"."advertiser_id"
    and "event"."number" > "lane"."sent"
    where "lane"."endpoint_id" = $1
    and "lane"."kind" = $2
    and "event"."type" in ($3)
    limit $4) as "behind";

-- endpoints.attempts (by the ID of an endpoint that the service has found to be the owner’s)
select "at", "advertiser_id", "number", "attempt", "outcome", "status", "ms", "answer"
  from "webhook_attempts"
  where "endpoint_id" = $1
  order by "at" desc, "number" desc, "attempt" desc
  limit $2;

-- endpoints.hours (by the ID of an endpoint that the service has found to be the owner’s)
select "hour", "accepted", "failed"
  from "webhook_hours"
  where "endpoint_id" = $1
  and "hour" >= $2
  order by "hour";

-- replays.add (by the ID of an endpoint that the service has found to be the owner’s)
select "ledger"."event_number" as "last", "ledger"."events_from" as "from"
  from "webhook_lanes" as "lane"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "lane"."advertiser_id"
  where "lane"."endpoint_id" = $1
  and "lane"."advertiser_id" = $2
  and "lane"."kind" = $3;
insert into "webhook_lanes" ("id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- replays.cancel (by the ID of an endpoint that the service has found to be the owner’s)
update "webhook_lanes"
  set "ended" = $1, "ended_at" = $2
  where "endpoint_id" = $3
  and "kind" = $4
  and "id" = $5
  and "ended_at" is null;

-- replays.resendParked (by the ID of an endpoint that the service has found to be the owner’s)
update "webhook_lanes"
  set "due_at" = $1, "tries" = $2, "ended" = $3, "ended_at" = $4, "sent" = end_number - 1
  where "endpoint_id" = $5
  and "kind" = $6
  and ("ended" is null or "ended" = $7);
update "webhook_lanes"
  set "due_at" = $1, "tries" = $2, "ended" = $3, "ended_at" = $4, "sent" = end_number - 1
  where "endpoint_id" = $5
  and "kind" = $6
  and ("ended" is null or "ended" = $7)
  and "id" = $8;

-- webhookUpkeep.failing (removes what is over, whoever had it)
select "id", "advertiser_id", "failing_since", "failed_at", "told", "state", "stopped_at"
  from "webhook_endpoints"
  where "failing_since" is not null
  and "told" < $1
  and ("state" = $2 or ("state" = $3
      and "failed_at" >= failing_since + $4))
  order by "failing_since"
  limit $5;

-- webhookUpkeep.tell (tells the owner of its own endpoint)
update "webhook_endpoints"
  set "told" = $1
  where "id" = $2
  and "told" = $3
  and "failing_since" = $4
  and "state" in ($5, $6);

-- webhookUpkeep.prune (removes what is over, whoever had it)
delete from "webhook_attempts"
  where "at" < $1;
delete from "webhook_hours"
  where "hour" < $1;
select "id"
  from "webhook_endpoints";
delete from webhook_attempts
  where endpoint_id = $1
  and (outcome = 'accepted') = (1 = 1)
  and at < (select at
    from webhook_attempts
    where endpoint_id = $2
    and (outcome = 'accepted') = (1 = 1)
    order by at desc
    limit 1 offset $3);
delete from webhook_attempts
  where endpoint_id = $1
  and (outcome = 'accepted') = (1 = 0)
  and at < (select at
    from webhook_attempts
    where endpoint_id = $2
    and (outcome = 'accepted') = (1 = 0)
    order by at desc
    limit 1 offset $3);

-- webhookUpkeep.removeEnded (removes what is over, whoever had it)
delete from "webhook_lanes"
  where "id" in (select "id"
    from "webhook_lanes"
    where "ended_at" < $1
    order by "ended_at"
    limit $2);

-- webhookUpkeep.figures (the operator's own look-up or list)
select case when ("state" = $1
    and "failing_since" is not null) then 'failing' else "state" end as "condition", count(*) as "count"
  from "webhook_endpoints" group by "condition";
select min("event"."number") as "oldest"
  from "webhook_lanes" as "lane"
  inner join "webhook_endpoints" as "endpoint" on "endpoint"."id" = "lane"."endpoint_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "lane"."advertiser_id"
  inner join "events" as "event" on "event"."advertiser_id" = "lane"."advertiser_id"
  and "event"."number" = (select min("first"."number") as "number"
    from "events" as "first"
    where "first"."advertiser_id" = "lane"."advertiser_id"
    and "first"."number" > "lane"."sent")
  where "lane"."kind" = $1
  and "endpoint"."state" = $2
  and "ledger"."event_number" > "lane"."sent";
select "skew_ms"
  from "webhook_endpoints"
  where "skew_ms" is not null
  order by "skew_ms"
  limit $1;

-- webhookUpkeep.isUsed (the operator's own look-up or list)
select "id"
  from "webhook_endpoints"
  where "state" = $1
  limit $2;

-- endpoints.remove (finds the endpoint to be the owner’s in the same transaction)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms"
  from "webhook_endpoints"
  where "advertiser_id" = $1
  and "id" = $2
  order by "created_at", "id";
delete from "webhook_lanes"
  where "endpoint_id" = $1;
delete from "webhook_attempts"
  where "endpoint_id" = $1;
delete from "webhook_hours"
  where "endpoint_id" = $1;
delete from "webhook_endpoints"
  where "id" = $1;
insert into "tombstones" ("id", "content")
  values ($1, $2);
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select count(*) as "count"
  from "webhook_endpoints"
  where "advertiser_id" = $1;
insert into "webhook_endpoints" ("advertiser_id", "agent_id", "id", "url", "description", "scheme", "types", "state", "created_at", "rotated_at", "overlap_until")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  returning "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms";
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms"
  from "webhook_endpoints"
  where "id" = $1
  order by "created_at", "id";
update "webhook_lanes"
  set "tries" = $1, "due_at" = $2
  where "endpoint_id" = $3
  and "kind" <> $4
  and "ended_at" is null;
update "webhook_endpoints"
  set "state" = $1, "failing_since" = $2, "failed_at" = $3, "told" = $4, "stopped_at" = $5, "stop_reason" = $6
  where "id" = $7;
select "event_number"
  from "advertiser_ledger"
  where "advertiser_id" = $1;
select "value"
  from "meta"
  where "key" = $1;
insert into "webhook_lanes" ("id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict do nothing;

-- oauth.findContext (the secret is what says who asks)
select asked.position, client.id as "clientId", client.name as "clientName", client.agent_id as "agentId", client.scopes, client.require_pkce as "requirePkce", client.disabled_at as "disabledAt", client.logo_hash as "logoHash", client.privacy_url as "privacyUrl", ( select string_agg(uri, ' '
      order by uri)
    from oauth_redirect_uris
    where client_id = client.id ) as "redirectUris", advertiser.name as "advertiserName", candidate.id as "candidateId", session.created_at as "createdAt", session.last_used_at as "lastUsedAt", session.expires_at as "expiresAt", consent.id as "grantId", consent.released, consent.filled, consent.scope, consent.decided_at as "decidedAt", consent.resume_id as "resumeId", candidate.email, candidate.first_name, candidate.last_name, candidate.profile, resume.id, resume.file_name, resume.content_type, resume.blob, resume.sha256, resume.size, resume.scan, resume.not_judged, resume.uploaded_at, resume.is_default
  from unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as asked (client_id, session_hash, advertiser_id, position) left join "oauth_clients" as "client" on client.id = asked.client_id left join "advertisers" as "advertiser" on advertiser.id = asked.advertiser_id
  and advertiser.status = 'active' left join "sessions" as "session" on session.hash = asked.session_hash left join "candidates" as "candidate" on candidate.id = session.candidate_id left join "resumes" as "resume" on resume.candidate_id = session.candidate_id
  and resume.is_default = 1 left join "grants" as "consent" on consent.candidate_id = session.candidate_id
  and consent.client_id = asked.client_id
  and coalesce(consent.advertiser_id, 0) = asked.advertiser_id
  and consent.withdrawn_at is null;

-- oauth.recordConsent
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
insert into "grants" ("id", "candidate_id", "client_id", "advertiser_id", "scope", "released", "filled", "resume_id", "created_at", "decided_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  on conflict (candidate_id, client_id, coalesce(advertiser_id, 0))
  where "withdrawn_at" is null do update
  set "scope" = $11, "released" = $12, "filled" = $13, "resume_id" = $14, "decided_at" = $15
  returning "id";
update "oauth_codes"
  set "released" = released & cast($1 as bigint)
  where "grant_id" = $2
  and released & ~cast($3 as bigint) != $4;
update "oauth_tokens"
  set "released" = released & cast($1 as bigint)
  where "hash" in (select "token_hash"
    from "oauth_codes"
    where "grant_id" = $2
    and "token_hash" is not null)
  and released & ~cast($3 as bigint) != $4;
insert into oauth_codes (hash, client_id, grant_id, candidate_id, advertiser_id, redirect_uri, scope, released, challenge, issued_at, expires_at, failed_attempts) select asked.hash, consent.client_id, consent.id, consent.candidate_id, consent.advertiser_id, asked.redirect_uri, asked.scope, released & filled, asked.challenge, asked.issued_at, asked.expires_at, 0
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) as asked (grant_id, hash, redirect_uri, scope, challenge, issued_at, expires_at) join grants as consent on consent.id = asked.grant_id
  and consent.withdrawn_at is null
  order by consent.id for share of consent
  returning hash;
select "id"
  from "grants"
  where "candidate_id" = $1
  and "client_id" = $2
  and coalesce(advertiser_id, 0) = $3
  and "withdrawn_at" is null
  and released & ~cast($4 as bigint) != $5;
delete from "released_resumes"
  where "grant_id" = $1;
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- oauth.issueCode
insert into oauth_codes (hash, client_id, grant_id, candidate_id, advertiser_id, redirect_uri, scope, released, challenge, issued_at, expires_at, failed_attempts) select asked.hash, consent.client_id, consent.id, consent.candidate_id, consent.advertiser_id, asked.redirect_uri, asked.scope, released & filled, asked.challenge, asked.issued_at, asked.expires_at, 0
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) as asked (grant_id, hash, redirect_uri, scope, challenge, issued_at, expires_at) join grants as consent on consent.id = asked.grant_id
  and consent.withdrawn_at is null
  order by consent.id for share of consent
  returning hash;

-- oauth.findCode (the secret is what says who asks)
select "client_id" as "clientId", "redirect_uri" as "redirectUri", "scope", "challenge", "expires_at" as "expiresAt", "failed_attempts" as "failedAttempts", "redeemed_at" as "redeemedAt", "hash" as "key"
  from "oauth_codes"
  where "hash" = any($1);

-- oauth.countFailedAttempt (the secret is what says who asks)
update "oauth_codes"
  set "failed_attempts" = "failed_attempts" + $1
  where "hash" = $2;

-- oauth.redeem (the secret is what says who asks)
with asked as ( select *
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[]) as asked (code_hash, client_id, redirect_uri, challenge, hash, issued_at, expires_at, max_failed_attempts, secret_hash) ), valid as ( select code.hash
    from asked join oauth_codes as code on code.hash = asked.code_hash join oauth_clients as client on client.id = code.client_id join grants as consent on consent.id = code.grant_id
    where client.disabled_at is null
    and consent.withdrawn_at is null
    order by consent.id for share of client, consent ), held as ( select asked.*
    from asked join oauth_codes as code on code.hash = asked.code_hash join oauth_client_secrets as secret on secret.client_id = asked.client_id
    and secret.hash = asked.secret_hash
    where code.hash in (select valid.hash
      from valid)
    and code.redeemed_at is null
    and code.expires_at > asked.issued_at
    and code.failed_attempts < asked.max_failed_attempts
    and code.client_id = asked.client_id
    and code.redirect_uri = asked.redirect_uri
    and coalesce(code.challenge, '') = asked.challenge
    order by code.hash for no key update of code ), redeemed as ( update oauth_codes as code
    set redeemed_at = held.issued_at, token_hash = held.hash
    from held
    where code.hash = held.code_hash
    returning code.*, held.issued_at as token_issued_at, held.expires_at as token_expires_at ) insert into oauth_tokens (hash, issued_at, expires_at, client_id, scope, grant_id, candidate_id, released, advertiser_id) select token_hash, token_issued_at, token_expires_at, client_id, scope, grant_id, candidate_id, released, advertiser_id
  from redeemed
  returning hash;

-- oauth.revokeTokensOfCode (the secret is what says who asks)
update "oauth_tokens"
  set "revoked_at" = $1
  where "hash" = (select "token_hash"
    from "oauth_codes"
    where "hash" = $2)
  and "revoked_at" is null;

-- oauth.issueClientToken
insert into "oauth_tokens" ("hash", "issued_at", "expires_at", "client_id", "scope", "released") select cast($1 as text) as "hash", cast($2 as bigint) as "issued_at", cast($3 as bigint) as "expires_at", "client"."id" as "client_id", cast($4 as text) as "scope", cast($5 as bigint) as "released"
  from "oauth_clients" as "client"
  where "client"."id" = $6
  and "client"."disabled_at" is null for share;

-- oauth.issueAgentToken
insert into "oauth_tokens" ("hash", "issued_at", "expires_at", "client_id", "scope", "released", "advertiser_id", "agent_id", "agent_authorised_at") select cast($1 as text) as "hash", cast($2 as bigint) as "issued_at", cast($3 as bigint) as "expires_at", "client"."id" as "client_id", cast($4 as text) as "scope", cast($5 as bigint) as "released", "authorisation"."advertiser_id", "authorisation"."agent_id", "authorisation"."authorised_at"
  from "oauth_clients" as "client"
  inner join "agent_authorisations" as "authorisation" on "authorisation"."agent_id" = $6
  and "authorisation"."advertiser_id" = $7
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "authorisation"."advertiser_id"
  where "client"."id" = $8
  and "client"."disabled_at" is null
  and "advertiser"."status" = $9 for share of "client";

-- oauth.findToken (the secret is what says who asks)
select "client_id" as "clientId", "scope", "grant_id" as "grantId", "candidate_id" as "candidateId", "released", "advertiser_id" as "advertiserId", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "hash" as "key"
  from "oauth_tokens"
  where "hash" = any($1);

-- oauth.findAgentToken (the secret is what says who asks)
select "token"."client_id" as "clientId", "token"."agent_id" as "agentId", "advertiser"."id" as "advertiserId", "advertiser"."status" as "status", "ledger"."version", "ledger"."event_number" as "eventNumber", "authorisation"."authorised_at" as "authorisedAt", "token"."expires_at" as "expiresAt", "token"."revoked_at" as "revokedAt"
  from "oauth_tokens" as "token"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "token"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "token"."advertiser_id" left join "agent_authorisations" as "authorisation" on "authorisation"."advertiser_id" = "token"."advertiser_id"
  and "authorisation"."agent_id" = "token"."agent_id"
  and "authorisation"."authorised_at" = "token"."agent_authorised_at"
  where "token"."hash" = $1
  and "token"."scope" = $2;

-- sharing.recordPrefill
with asked as ( select *
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::bigint[], $18::text[], $19::text[], $20::bigint[], $21::bigint[]) as asked (token_hash, id, retry_key, client_id, grant_id, candidate_id, advertiser_id, form_url, position_title, position_uri, position_reference, country_code, postal_code, resume_id, released_id, disclosure_id, filled, notice_id, notice_content, notice_give_up_at, now) ), valid as ( select asked.*, token.released
    from asked join oauth_tokens as token on token.hash = asked.token_hash join advertisers as advertiser on advertiser.id = asked.advertiser_id
    where token.revoked_at is null
    and token.expires_at > asked.now
    and advertiser.status = 'active'
    order by token.hash for share of token ), application as ( insert into prefilled_applications (id, retry_key, client_id, grant_id, candidate_id, advertiser_id, form_url, position_title, position_uri, position_reference, country_code, postal_code, created_at, updated_at) select id, retry_key, client_id, grant_id, candidate_id, advertiser_id, form_url, position_title, position_uri, position_reference, country_code, postal_code, now, now
    from valid
    order by retry_key
    on conflict (retry_key) do update
    set "position_title" = excluded.position_title, "position_uri" = excluded.position_uri, "position_reference" = excluded.position_reference, "country_code" = excluded.country_code, "postal_code" = excluded.postal_code, "updated_at" = case when excluded.updated_at > prefilled_applications.updated_at then excluded.updated_at else prefilled_applications.updated_at + 1 end
    returning id, retry_key, created_at, updated_at ), recorded as ( select valid.*, application.id as application_id, application.created_at, application.updated_at
    from application join valid on valid.retry_key = application.retry_key
    order by valid.grant_id ), offered as ( select recorded.*
    from recorded join grants as consent on consent.id = recorded.grant_id
    where recorded.released & 32 <> 0
    and coalesce(consent.resume_id, recorded.resume_id) = recorded.resume_id ), known as ( select offered.grant_id, released_resumes.id
    from offered join released_resumes on released_resumes.grant_id = offered.grant_id
    and released_resumes.resume_id = offered.resume_id ), made as ( insert into released_resumes (id, grant_id, resume_id, created_at) select offered.released_id, offered.grant_id, resume.id, offered.now
    from offered join resumes as resume on resume.id = offered.resume_id
    and resume.candidate_id = offered.candidate_id
    where not exists (select 1
      from known
      where known.grant_id = offered.grant_id)
    order by offered.grant_id for key share of resume
    on conflict (grant_id, resume_id) do update
    set "created_at" = released_resumes.created_at
    returning grant_id, id ), released as ( select grant_id, id
    from known
    union all select grant_id, id
    from made ), answered as ( select recorded.*, released.id as released_resume_id
    from recorded left join released on released.grant_id = recorded.grant_id
    order by recorded.notice_id ), disclosed as ( insert into disclosures (id, candidate_id, grant_id, client_id, kind, categories, disclosed_at, advertiser_id) select disclosure_id, candidate_id, grant_id, client_id, 'prefill', released & (filled | case when released_resume_id is null then 0 else 32 end), now, advertiser_id
    from answered ), announced as ( insert into deliveries (id, kind, content, state, due_at, give_up_at, created_at) select notice_id, 'first-disclosure', notice_content, 'waiting', now, notice_give_up_at, now
    from answered
    where not exists ( select 1
      from grants as consent
      where consent.candidate_id = answered.candidate_id
      and consent.client_id = answered.client_id
      and (select disclosures.id
        from disclosures
        where grant_id = consent.id
        limit 1) is not null )
    order by notice_id
    on conflict (id) do nothing ) select retry_key as "retryKey", application_id as id, created_at as "createdAt", updated_at as "updatedAt", released, released_resume_id as "releasedResumeId"
  from answered;

-- sharing.isActiveAdvertiser
select "id"
  from "advertisers"
  where "id" = $1
  and "status" = $2;

-- sharing.findChosenResume
select "resume"."id", "resume"."file_name" as "fileName", "resume"."content_type" as "contentType", "resume"."blob", "resume"."sha256", "resume"."size", "resume"."uploaded_at" as "uploadedAt", "consent"."candidate_id" as "candidateId", case "resume"."not_judged" when 1 then 'not-judged' else "resume"."scan" end as "scan", "consent"."id" as "key"
  from "grants" as "consent"
  inner join "resumes" as "resume" on "resume"."candidate_id" = "consent"."candidate_id"
  where case when consent.resume_id is null then resume.is_default = 1 else resume.id = consent.resume_id end
  and "consent"."id" = any($1);

-- sharing.findReleasedResume
select "resume"."id", "resume"."file_name" as "fileName", "resume"."content_type" as "contentType", "resume"."blob", "resume"."sha256", "resume"."size", "resume"."uploaded_at" as "uploadedAt", case "resume"."not_judged" when 1 then 'not-judged' else "resume"."scan" end as "scan"
  from "released_resumes" as "released"
  inner join "grants" as "consent" on "consent"."id" = "released"."grant_id"
  inner join "resumes" as "resume" on "resume"."id" = "released"."resume_id"
  where "released"."id" = $1
  and "released"."grant_id" = $2
  and coalesce(consent.resume_id, resume.id) = resume.id;

-- sharing.recordDownload
insert into "disclosures" ("id", "candidate_id", "grant_id", "client_id", "kind", "categories", "disclosed_at", "advertiser_id") select cast($1 as text) as "id", cast($2 as text) as "candidate_id", cast($3 as text) as "grant_id", cast($4 as text) as "client_id", cast('resume' as text) as "kind", 32 as "categories", cast($5 as bigint) as "disclosed_at", "token"."advertiser_id" as "advertiser_id"
  from "oauth_tokens" as "token"
  where "token"."hash" = $6
  and "token"."revoked_at" is null
  and "token"."expires_at" > $7
  and "token"."released" & 32 <> 0 for share of "token";

-- sharing.complete
select "advertiser_id" as "advertiserId", "completed_at" as "completedAt"
  from "prefilled_applications"
  where "id" = $1
  and "client_id" = $2;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end
  where "advertiser_id" = $3
  returning "event_number";
update "prefilled_applications"
  set "completed_at" = $1
  where "id" = $2
  and "client_id" = $3
  and "completed_at" is null
  returning "position_reference";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);

-- history.disclosures
select "disclosure"."id", "disclosure"."kind", "client"."name" as "clientName", "advertiser"."name" as "advertiserName", "disclosure"."categories", "disclosure"."disclosed_at" as "disclosedAt"
  from "disclosures" as "disclosure"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = $1
  order by "disclosure"."disclosed_at" desc, "disclosure"."id" desc
  limit $2;
select "disclosure"."id", "disclosure"."kind", "client"."name" as "clientName", "advertiser"."name" as "advertiserName", "disclosure"."categories", "disclosure"."disclosed_at" as "disclosedAt"
  from "disclosures" as "disclosure"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = $1
  and ("disclosure"."disclosed_at", "disclosure"."id") < ($2, $3)
  order by "disclosure"."disclosed_at" desc, "disclosure"."id" desc
  limit $4;

-- history.applications
select "application"."id", "client"."name" as "clientName", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "application"."position_title" as "positionTitle", "application"."created_at" as "createdAt", "application"."completed_at" as "completedAt"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = $1
  order by "application"."created_at" desc, "application"."id" desc
  limit $2;
select "application"."id", "client"."name" as "clientName", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "application"."position_title" as "positionTitle", "application"."created_at" as "createdAt", "application"."completed_at" as "completedAt"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = $1
  and ("application"."created_at", "application"."id") < ($2, $3)
  order by "application"."created_at" desc, "application"."id" desc
  limit $4;

-- consents.listConsents
select "consent"."id" as "grantId", "client"."name" as "clientName", "client"."logo_hash" as "logoHash", "consent"."advertiser_id" as "advertiserId", "advertiser"."name" as "advertiserName", "consent"."released", "consent"."filled", "consent"."decided_at" as "decidedAt"
  from "grants" as "consent"
  inner join "oauth_clients" as "client" on "client"."id" = "consent"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "consent"."advertiser_id"
  where "consent"."candidate_id" = $1
  and "consent"."withdrawn_at" is null
  order by "consent"."decided_at" desc, "consent"."id";

-- leases.take (the processes share the work between them, and nobody owns it)
insert into "leases" ("name", "holder", "held_until")
  values ($1, $2, $3)
  on conflict ("name") do update
  set "holder" = $4, "held_until" = $5
  where ("leases"."held_until" <= $6 or "leases"."held_until" > $7);

-- leases.renew (the processes share the work between them, and nobody owns it)
update "leases"
  set "held_until" = $1
  where "name" = $2
  and "holder" = $3;

-- leases.release (the processes share the work between them, and nobody owns it)
delete from "leases"
  where "name" = $1
  and "holder" = $2;

-- leases.isHeld (the processes share the work between them, and nobody owns it)
select "name"
  from "leases"
  where "name" = $1
  and "held_until" > $2;

-- backups.setLast (a backup is of the whole database, of all owners)
select "value"
  from "meta"
  where "key" = $1;
insert into "meta" ("key", "value")
  values ($1, $2)
  on conflict ("key") do update
  set "value" = $3;

-- backups.last (a backup is of the whole database, of all owners)
select "value"
  from "meta"
  where "key" = $1;

-- backups.copiedAt (a backup is of the whole database, of all owners)


-- figures.oldestUnjudged (the age of the oldest of all, without its owner)
select min("uploaded_at") as "at"
  from "application_files"
  where "scan" = 'unscanned'
  and "blob" > $1
  and "not_judged" = $2;
select min("uploaded_at") as "at"
  from "resumes"
  where "scan" = 'unscanned'
  and "blob" > $1
  and "not_judged" = $2;

-- rateCounts.add (the nodes count together, and by hashes: nobody owns them)
insert into rate_counts (name, key, time_window, hits, expires_at) select name, key, time_window, cast(sum(hits) as bigint), max(expires_at)
  from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) as counted (name, key, time_window, hits, expires_at) group by name, key, time_window
  order by name, key, time_window
  on conflict (name, key, time_window) do update
  set hits = rate_counts.hits + excluded.hits
  returning name, key, time_window, hits;

-- expiry.removeTokens (removes what is over, whoever had it)
delete from "oauth_tokens"
  where ("hash") in ( select "hash"
    from "oauth_tokens"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);

-- expiry.removeCodes (removes what is over, whoever had it)
delete from "oauth_codes"
  where "hash" in (select "code"."hash"
    from "oauth_codes" as "code"
    where "code"."expires_at" <= $1
    and not exists (select "token"."hash"
      from "oauth_tokens" as "token"
      where "token"."hash" = "code"."token_hash"
      and "token"."expires_at" > $2)
    order by "code"."expires_at"
    limit $3 for update skip locked);

-- expiry.removeSessions (removes what is over, whoever had it)
delete from "sessions"
  where ("hash") in ( select "hash"
    from "sessions"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);

-- expiry.removeLinks (removes what is over, whoever had it)
delete from "account_links"
  where ("hash") in ( select "hash"
    from "account_links"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);

-- expiry.removeInvitations (removes what is over, whoever had it)
delete from "operator_invitations"
  where ("hash") in ( select "hash"
    from "operator_invitations"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);
delete from "agent_invitations"
  where ("hash") in ( select "hash"
    from "agent_invitations"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);
delete from "invitations"
  where ("hash") in ( select "hash"
    from "invitations"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);

-- expiry.removeSentForms (removes what is over, whoever had it)
delete from "sent_forms"
  where ("key") in ( select "key"
    from "sent_forms"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);

-- expiry.removeRateCounts (removes what is over, whoever had it)
delete from "rate_counts"
  where ("name", "key", "time_window") in ( select "name", "key", "time_window"
    from "rate_counts"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);

-- expiry.removeEvents (removes what is over, whoever had it)
select "advertiser_id" as id
  from "advertiser_ledger"
  where exists (select 1
    from "events"
    where "events"."advertiser_id" = "advertiser_ledger"."advertiser_id"
    and number < $1)
  order by "advertiser_id"
  limit $2;
select "client_id" as id
  from "client_ledger"
  where exists (select 1
    from "client_events"
    where "client_events"."client_id" = "client_ledger"."client_id"
    and number < $1)
  order by "client_id"
  limit $2;

-- events.lastOf (the streams that requests wait for: each request was allowed to)
select "advertiser_id" as id, event_number as number
  from "advertiser_ledger"
  where "advertiser_id" = any($1);
select "client_id" as id, event_number as number
  from "client_ledger"
  where "client_id" = any($1);

-- events.newest
select "number", "type", "application_id" as "applicationId", "detail"
  from "events"
  where "advertiser_id" = $1
  and (1 << cast(type as integer)) & cast($2 as bigint) <> 0
  order by "number" desc
  limit $3;
select "number", "type", "application_id" as "applicationId", "detail"
  from "events"
  where "advertiser_id" = $1
  and "number" < $2
  and (1 << cast(type as integer)) & cast($3 as bigint) <> 0
  order by "number" desc
  limit $4;

-- events.page
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
  where "ledger"."advertiser_id" = $6;
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
  where "ledger"."advertiser_id" = $7;

-- events.jsonPage
select -event_number as "number", "events_from" as "type", cast(null as bigint) as "application_id", (select "value"
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
    limit $6 + 0) as "event";
select -event_number as "number", "events_from" as "type", cast(null as bigint) as "application_id", (select "value"
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
    limit 1) as "piece" on true;

-- expiry.removeReads (removes what is over, whoever had it)
delete from "application_reads"
  where ("advertiser_id", "application_id", "day", "reader", "way") in ( select "advertiser_id", "application_id", "day", "reader", "way"
    from "application_reads"
    where "day" <= $1
    order by "day"
    limit $2 for update skip locked);

-- expiry.removeListReads (removes what is over, whoever had it)
delete from "list_reads"
  where ("advertiser_id", "day", "reader", "way", "first_id") in ( select "advertiser_id", "day", "reader", "way", "first_id"
    from "list_reads"
    where "day" <= $1
    order by "day"
    limit $2 for update skip locked);

-- expiry.removeAgentCalls (removes what is over, whoever had it)
delete from "agent_call_days"
  where ("agent_id", "day", "advertiser_id", "code") in ( select "agent_id", "day", "advertiser_id", "code"
    from "agent_call_days"
    where "day" <= $1
    order by "day"
    limit $2 for update skip locked);

-- expiry.removeLeases (removes what is over, whoever had it)
delete from "leases"
  where ("name") in ( select "name"
    from "leases"
    where "held_until" <= $1
    order by "held_until"
    limit $2 for update skip locked);

-- expiry.removeUnconfirmed (removes what is over, whoever had it)
insert into "candidates" ("id", "email", "password_hash", "first_name", "last_name", "profile", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("email") do nothing;
select "candidates"."id"
  from "candidates"
  where "candidates"."email_confirmed_at" is null
  and not exists (select "account_links"."hash"
    from "account_links"
    where "account_links"."candidate_id" = "candidates"."id")
  and "candidates"."created_at" < $1
  order by "candidates"."created_at"
  limit $2 for update skip locked;
delete from "candidates"
  where "id" in (select "candidates"."id"
    from "candidates"
    where "candidates"."email_confirmed_at" is null
    and not exists (select "account_links"."hash"
      from "account_links"
      where "account_links"."candidate_id" = "candidates"."id")
    and "candidates"."id" in ($1));

-- expiry.removeMailCounts (removes what is over, whoever had it)
delete from "mail_counts"
  where ("recipient_hash") in ( select "recipient_hash"
    from "mail_counts"
    where "hour" <= $1
    order by "hour"
    limit $2 for update skip locked);

-- expiry.removeSignInFailures (removes what is over, whoever had it)
delete from "sign_in_failures"
  where ("key") in ( select "key"
    from "sign_in_failures"
    where "last_failed_at" <= $1
    and key < 'browser:'
    order by "last_failed_at"
    limit $2 for update skip locked);

-- expiry.removeKnownBrowsers (removes what is over, whoever had it)
delete from "sign_in_failures"
  where ("key") in ( select "key"
    from "sign_in_failures"
    where "last_failed_at" <= $1
    order by "last_failed_at"
    limit $2 for update skip locked);

-- expiry.removeIntakeKeys (removes what is over, whoever had it)
delete from "intake_keys"
  where ("client_id", "key") in ( select "client_id", "key"
    from "intake_keys"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);

-- scanning.unscanned (the bytes are judged once, for everybody who has them)
select "blob", "size"
  from (select "blob", "size"
    from (select "blob", "size"
      from "application_files"
      where "scan" = 'unscanned'
      and "blob" > $1
      order by "blob"
      limit $2) as "page"
    union select "blob", "size"
    from (select "blob", "size"
      from "resumes"
      where "scan" = 'unscanned'
      and "blob" > $3
      order by "blob"
      limit $4) as "page") as "page"
  order by "blob"
  limit $5;

-- scanning.resumesOf (the bytes are judged once, for everybody who has them)
select "candidate_id" as "candidateId", "id" as "resumeId", case "resumes"."not_judged" when 1 then 'not-judged' else "resumes"."scan" end as "scan"
  from "resumes"
  where "blob" = $1;

-- scanning.attachmentsOf (the bytes are judged once, for everybody who has them)
select "advertiser_id" as "advertiserId", "application_id" as "applicationId", "type", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "blob" = $1;

-- scanning.recordResumeVerdict
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "blob"
  from "resumes"
  where "candidate_id" = $1
  and "id" = $2
  and "scan" in ($3, $4);
update "resumes"
  set "scan" = $1, "not_judged" = $2
  where "candidate_id" = $3
  and "id" = $4;
update "resumes"
  set "scan" = $1, "not_judged" = $2, "blob" = $3, "sha256" = $4, "size" = $5
  where "candidate_id" = $6
  and "id" = $7;
insert into "loose_blobs" ("blob", "since")
  values ($1, $2)
  on conflict ("blob") do update
  set "since" = case when "loose_blobs"."since" < $3 then $4 else "loose_blobs"."since" + $5 end;

-- blobReferences.described (the bytes of a file are kept or removed for everybody who has them)
select "blob", "sha256", "size"
  from "application_files"
  where "blob" in ($1)
  union all select "blob", "sha256", "size"
  from "resumes"
  where "blob" in ($2);

-- blobReferences.named (the bytes of a file are kept or removed for everybody who has them)
select "blob"
  from "application_files"
  where "blob" in ($1)
  union select "blob"
  from "resumes"
  where "blob" in ($2);

-- blobReferences.loose (the bytes of a file are kept or removed for everybody who has them)
select "blob", "since"
  from "loose_blobs"
  order by "since"
  limit $1;

-- blobReferences.forgetLoose (the bytes of a file are kept or removed for everybody who has them)
delete from "loose_blobs"
  where (("blob" = $1
      and "since" = $2) or ("blob" = $3
      and "since" = $4));

-- blobReferences.databaseId (the bytes of a file are kept or removed for everybody who has them)
select "value"
  from "meta"
  where "key" = $1;

-- blobReferences.makeDatabaseId (the bytes of a file are kept or removed for everybody who has them)
insert into "meta" ("key", "value")
  values ($1, $2)
  on conflict ("key") do nothing;
select "value"
  from "meta"
  where "key" = $1;

-- blobReferences.restoredAt (the bytes of a file are kept or removed for everybody who has them)
select "value"
  from "meta"
  where "key" = $1;

-- blobReferences.sweptUntil (the bytes of a file are kept or removed for everybody who has them)
select "value"
  from "meta"
  where "key" = $1;

-- blobReferences.setSweptUntil (the bytes of a file are kept or removed for everybody who has them)
insert into "meta" ("key", "value")
  values ($1, $2)
  on conflict ("key") do update
  set "value" = $3
  where "meta"."value" < $4;

-- ownData.account
select "id", "email", "email_confirmed_at", "first_name", "last_name", "profile", "created_at", "muted", "mail_refused_at"
  from "candidates"
  where "id" = $1;

-- ownData.consents
select "client"."name" as "clientName", "advertiser"."name" as "advertiserName", "consent"."scope", "consent"."released", "consent"."filled", "consent"."created_at" as "createdAt", "consent"."decided_at" as "decidedAt", "consent"."withdrawn_at" as "withdrawnAt"
  from "grants" as "consent"
  inner join "oauth_clients" as "client" on "client"."id" = "consent"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "consent"."advertiser_id"
  where "consent"."candidate_id" = $1
  order by "consent"."created_at", "consent"."id";

-- ownData.memberships
select "advertiser"."name" as "advertiserName", "membership"."role", "membership"."created_at" as "since", "membership"."notify" as "rhythm"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."candidate_id" = $1
  order by "membership"."created_at", "advertiser"."id";
select "agent"."name" as "agentName", "membership"."role", "membership"."created_at" as "since"
  from "agent_members" as "membership"
  inner join "agents" as "agent" on "agent"."id" = "membership"."agent_id"
  where "membership"."candidate_id" = $1
  order by "membership"."created_at", "agent"."id";
select "role", "created_at" as "since"
  from "operators"
  where "candidate_id" = $1;

-- ownData.links
select "purpose", "email", "expires_at" as "expiresAt"
  from "account_links"
  where "candidate_id" = $1
  and "expires_at" > $2
  order by "expires_at";

-- ownData.applications
select "own"."application_id", "own"."job_ad_id", "own"."job_title" as "ad_title", "own"."job_location", "own"."advertiser_name", "own"."submitted_at" as "submittedAt", "screen"."json", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."erased_at", "application"."is_new_to_work_force", "application"."status", "application"."job_title", "application"."company_name", "application"."time_in_role_months"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit $2;
select "file"."application_id", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."blob", "file"."sha256", "file"."size", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan", "file"."uploaded_at" as "uploadedAt"
  from "own_applications" as "own"
  inner join "application_files" as "file" on "file"."advertiser_id" = "own"."advertiser_id"
  and "file"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."submitted_at" >= $2
  and "own"."submitted_at" <= $3;
select "own"."application_id", "entry"."at", "entry"."kind", "entry"."status", "entry"."text", "entry"."position"
  from "own_applications" as "own"
  inner join "application_history" as "entry" on "entry"."advertiser_id" = "own"."advertiser_id"
  and "entry"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."submitted_at" >= $2
  and "own"."submitted_at" <= $3
  and "entry"."kind" in ($4, $5, $6);
select "own"."advertiser_id" as "advertiserId", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("read"."first_at") as "firstAt"
  from "own_applications" as "own"
  inner join "application_reads" as "read" on "read"."advertiser_id" = "own"."advertiser_id"
  and "read"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2
  and (select "application"."erased_at"
    from "applications" as "application"
    where "application"."advertiser_id" = "own"."advertiser_id"
    and "application"."id" = "own"."application_id") is null group by "own"."advertiser_id", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "advertiser_id" as "advertiserId", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("first_at") as "firstAt"
  from "list_reads"
  where "advertiser_id" in (select "own"."advertiser_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = $1
    and "own"."application_id" = $2)
  and "last_id" >= (select min("own"."application_id") as "first"
    from "own_applications" as "own"
    where "own"."candidate_id" = $3
    and "own"."application_id" = $4)
  and "first_id" <= (select max("own"."application_id") as "last"
    from "own_applications" as "own"
    where "own"."candidate_id" = $5
    and "own"."application_id" = $6)
  and exists (select "own"."application_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = $7
    and "own"."application_id" = $8
    and (select "application"."erased_at"
      from "applications" as "application"
      where "application"."advertiser_id" = "own"."advertiser_id"
      and "application"."id" = "own"."application_id") is null
    and +own.advertiser_id = "list_reads"."advertiser_id"
    and +own.application_id >= "list_reads"."first_id"
    and +own.application_id <= "list_reads"."last_id") group by "advertiser_id", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "own"."application_id", "own"."job_ad_id", "own"."job_title" as "ad_title", "own"."job_location", "own"."advertiser_name", "own"."submitted_at" as "submittedAt", "screen"."json", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."erased_at", "application"."is_new_to_work_force", "application"."status", "application"."job_title", "application"."company_name", "application"."time_in_role_months"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and ("own"."submitted_at", "own"."application_id") < ($2, $3)
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit $4;

-- ownData.startedApplications
select "application"."id", "client"."name" as "clientName", "advertiser"."name" as "advertiserName", "application"."form_url" as "formUrl", "application"."position_title" as "positionTitle", "application"."position_uri" as "positionUri", "application"."position_reference" as "positionReference", "application"."country_code" as "countryCode", "application"."postal_code" as "postalCode", "application"."created_at" as "createdAt", "application"."updated_at" as "updatedAt", "application"."completed_at" as "completedAt"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = $1
  order by "application"."created_at" desc, "application"."id" desc
  limit $2;
select "application"."id", "client"."name" as "clientName", "advertiser"."name" as "advertiserName", "application"."form_url" as "formUrl", "application"."position_title" as "positionTitle", "application"."position_uri" as "positionUri", "application"."position_reference" as "positionReference", "application"."country_code" as "countryCode", "application"."postal_code" as "postalCode", "application"."created_at" as "createdAt", "application"."updated_at" as "updatedAt", "application"."completed_at" as "completedAt"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = $1
  and ("application"."created_at", "application"."id") < ($2, $3)
  order by "application"."created_at" desc, "application"."id" desc
  limit $4;

-- ownData.recipients
select distinct "client"."name" as "clientName", "advertiser"."name" as "advertiserName"
  from "disclosures" as "disclosure"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = $1
  order by "client"."name", "advertiser"."name"
  limit $2;

-- ownData.advertisersAppliedTo
select distinct "advertiser_name"
  from "own_applications"
  where "candidate_id" = $1
  order by "advertiser_name"
  limit $2;

-- ownApplications.send
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "application_id"
  from "own_applications"
  where "candidate_id" = $1
  and "form_key" = $2;
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > $1 then last_submitted_at else $2 end, "version" = case when (case when version > event_number then version else event_number end) >= $3 then (case when version > event_number then version else event_number end) + 1 else $4 end, "event_number" = case when (case when version > event_number then version else event_number end) >= $5 then (case when version > event_number then version else event_number end) + 1 else $6 end
  where "advertiser_id" = $7
  returning "last_submitted_at", "event_number", nextval('application_ids') as "id", pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as "server";
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful")
  values ($1, $2, $3, $4, $5, $6, $7);
with "pieces" as (insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
    values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10)), "terms" as (insert into "application_terms" ("advertiser_id", "term", "application_id") select $11::bigint, term, $12::bigint
    from unnest($13::text[]) term), "event" as (insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
    values ($14, $15, $16, $17, $18)), "count" as (insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
    values ($19, $20, $21, $22)
    on conflict ("advertiser_id", "job_ad_id", "status") do update
    set "applications" = application_counts.applications + 1) select 1 as "done";
insert into "own_applications" ("candidate_id", "form_key", "advertiser_id", "application_id", "job_ad_id", "job_title", "job_location", "advertiser_name", "submitted_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "id", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "is_default"
  from "resumes"
  where "candidate_id" = $1
  and "id" = $2
  and "scan" != $3;

-- ownApplications.findSent
select "application_id"
  from "own_applications"
  where "candidate_id" = $1
  and "form_key" = $2;

-- ownApplications.lastFor
select "own"."submitted_at" as "submittedAt", "application"."status", "entry"."at" as "withdrawnAt"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_history" as "entry" on "entry"."advertiser_id" = "own"."advertiser_id"
  and "entry"."application_id" = "own"."application_id"
  and "entry"."kind" = $1
  where "own"."candidate_id" = $2
  and "own"."job_ad_id" = $3
  order by "application"."status" = $4, "own"."submitted_at" desc
  limit $5;

-- ownApplications.list
select "own"."application_id" as "applicationId", "own"."advertiser_id" as "advertiserId", "own"."job_ad_id" as "jobAdId", "own"."job_title" as "jobTitle", "own"."job_location" as "jobLocation", "own"."advertiser_name" as "advertiserName", "own"."submitted_at" as "submittedAt", "application"."is_new_to_work_force", "screen"."application_id" as "answered_id", "application"."status", "application"."erased_at" as "erasedAt", (select logo_hash
    from advertisers
    where id = own.advertiser_id) as "logoHash", (select min(first_at)
    from application_reads
    where application_reads.advertiser_id = own.advertiser_id
    and application_reads.application_id = own.application_id
    and way = 'view') as "openedAt"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit $2;
select "file"."application_id", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."blob", "file"."sha256", "file"."size", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan", "file"."uploaded_at" as "uploadedAt"
  from "own_applications" as "own"
  inner join "application_files" as "file" on "file"."advertiser_id" = "own"."advertiser_id"
  and "file"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."submitted_at" >= $2
  and "own"."submitted_at" <= $3;
select "own"."application_id" as "applicationId", "own"."advertiser_id" as "advertiserId", "own"."job_ad_id" as "jobAdId", "own"."job_title" as "jobTitle", "own"."job_location" as "jobLocation", "own"."advertiser_name" as "advertiserName", "own"."submitted_at" as "submittedAt", "application"."is_new_to_work_force", "screen"."application_id" as "answered_id", "application"."status", "application"."erased_at" as "erasedAt", (select logo_hash
    from advertisers
    where id = own.advertiser_id) as "logoHash", (select min(first_at)
    from application_reads
    where application_reads.advertiser_id = own.advertiser_id
    and application_reads.application_id = own.application_id
    and way = 'view') as "openedAt"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and ("own"."submitted_at", "own"."application_id") < ($2, $3)
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit $4;

-- ownApplications.find
select "own"."application_id" as "applicationId", "own"."advertiser_id" as "advertiserId", "own"."job_ad_id" as "jobAdId", "own"."job_title" as "jobTitle", "own"."job_location" as "jobLocation", "own"."advertiser_name" as "advertiserName", "own"."submitted_at" as "submittedAt", (select logo_hash
    from advertisers
    where id = own.advertiser_id) as "logoHash", (select min(first_at)
    from application_reads
    where application_reads.advertiser_id = own.advertiser_id
    and application_reads.application_id = own.application_id
    and way = 'view') as "openedAt"
  from "own_applications" as "own"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2;
select "file"."application_id", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."blob", "file"."sha256", "file"."size", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan", "file"."uploaded_at" as "uploadedAt"
  from "own_applications" as "own"
  inner join "application_files" as "file" on "file"."advertiser_id" = "own"."advertiser_id"
  and "file"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."submitted_at" >= $2
  and "own"."submitted_at" <= $3;
select "advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "erased_at", "status"
  from "applications"
  where "advertiser_id" = $1
  and "id" = $2;
select "json"
  from "application_screens"
  where "advertiser_id" = $1
  and "application_id" = $2;
select "due_at"
  from "erasures"
  where "advertiser_id" = $1
  and "application_id" = $2;
select "own"."application_id", "entry"."at", "entry"."kind", "entry"."status", "entry"."text", "entry"."position"
  from "own_applications" as "own"
  inner join "application_history" as "entry" on "entry"."advertiser_id" = "own"."advertiser_id"
  and "entry"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2
  and "entry"."kind" in ($3, $4, $5);
select "own"."advertiser_id" as "advertiserId", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("read"."first_at") as "firstAt"
  from "own_applications" as "own"
  inner join "application_reads" as "read" on "read"."advertiser_id" = "own"."advertiser_id"
  and "read"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2
  and (select "application"."erased_at"
    from "applications" as "application"
    where "application"."advertiser_id" = "own"."advertiser_id"
    and "application"."id" = "own"."application_id") is null group by "own"."advertiser_id", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "advertiser_id" as "advertiserId", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("first_at") as "firstAt"
  from "list_reads"
  where "advertiser_id" in (select "own"."advertiser_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = $1
    and "own"."application_id" = $2)
  and "last_id" >= (select min("own"."application_id") as "first"
    from "own_applications" as "own"
    where "own"."candidate_id" = $3
    and "own"."application_id" = $4)
  and "first_id" <= (select max("own"."application_id") as "last"
    from "own_applications" as "own"
    where "own"."candidate_id" = $5
    and "own"."application_id" = $6)
  and exists (select "own"."application_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = $7
    and "own"."application_id" = $8
    and (select "application"."erased_at"
      from "applications" as "application"
      where "application"."advertiser_id" = "own"."advertiser_id"
      and "application"."id" = "own"."application_id") is null
    and +own.advertiser_id = "list_reads"."advertiser_id"
    and +own.application_id >= "list_reads"."first_id"
    and +own.application_id <= "list_reads"."last_id") group by "advertiser_id", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end;

-- ownApplications.file
select "type", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "advertiser_id" = (select "advertiser_id"
    from "own_applications"
    where "candidate_id" = $1
    and "application_id" = $2)
  and "application_id" = $3
  and "type" = $4;

-- ownApplications.reads
select "own"."advertiser_id" as "advertiserId", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("read"."first_at") as "firstAt"
  from "own_applications" as "own"
  inner join "application_reads" as "read" on "read"."advertiser_id" = "own"."advertiser_id"
  and "read"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and (select "application"."erased_at"
    from "applications" as "application"
    where "application"."advertiser_id" = "own"."advertiser_id"
    and "application"."id" = "own"."application_id") is null group by "own"."advertiser_id", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "advertiser_id" as "advertiserId", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("first_at") as "firstAt"
  from "list_reads"
  where "advertiser_id" in (select "own"."advertiser_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = $1)
  and "last_id" >= (select min("own"."application_id") as "first"
    from "own_applications" as "own"
    where "own"."candidate_id" = $2)
  and "first_id" <= (select max("own"."application_id") as "last"
    from "own_applications" as "own"
    where "own"."candidate_id" = $3)
  and exists (select "own"."application_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = $4
    and (select "application"."erased_at"
      from "applications" as "application"
      where "application"."advertiser_id" = "own"."advertiser_id"
      and "application"."id" = "own"."application_id") is null
    and +own.advertiser_id = "list_reads"."advertiser_id"
    and +own.application_id >= "list_reads"."first_id"
    and +own.application_id <= "list_reads"."last_id") group by "advertiser_id", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end;

-- ownApplications.replaceFile
select "advertiser_id" as "advertiserId", "submitted_at" as "submittedAt"
  from "own_applications"
  where "candidate_id" = $1
  and "application_id" = $2;
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "version"
  from "advertiser_ledger"
  where "advertiser_id" = $1 for update;
select "id", "job_ad_id", "status", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;

-- ownApplications.withdraw
select "advertiser_id" as "advertiserId", "submitted_at" as "submittedAt"
  from "own_applications"
  where "candidate_id" = $1
  and "application_id" = $2;
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end
  where "advertiser_id" = $3
  returning "event_number";
select "id", "job_ad_id", "status", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
update "applications"
  set "status" = $1
  where "advertiser_id" = $2
  and "id" in ($3);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values ($1, $2, $3, $4), ($5, $6, $7, $8)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "former", "status")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);
insert into "erasures" ("advertiser_id", "application_id", "due_at", "reason")
  values ($1, $2, $3, $4)
  on conflict ("advertiser_id", "application_id") do update
  set "due_at" = case when erasures.due_at < excluded.due_at then erasures.due_at else excluded.due_at end, "reason" = excluded.reason;
insert into "tombstones" ("id", "content")
  values ($1, $2);
select "candidate_id"
  from "memberships"
  where "advertiser_id" = $1
  and "notify" != $2;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7), ($8, $9, $10, $11, $12, $13, $14), ($15, $16, $17, $18, $19, $20, $21);

-- ownApplications.holders
select "advertiser"."id", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", count(*) as "applications", min("own"."submitted_at") as "firstAt", max("own"."submitted_at") as "lastAt"
  from "own_applications" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = $1 group by "advertiser"."id", "advertiser"."name", "advertiser"."logo_hash"
  order by "lastAt" desc, "advertiser"."id"
  limit $2;
select "agent_authorisations"."advertiser_id", "agents"."name"
  from "agent_authorisations"
  inner join "agents" on "agents"."id" = "agent_authorisations"."agent_id"
  where "advertiser_id" in (select "advertiser_id"
    from "own_applications"
    where "candidate_id" = $1)
  order by "agents"."name", "agents"."id";

-- applicationSearch.page
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "id" > $2
  and "id" < $3
  order by "id" desc
  limit $4;
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "ad"."title" as "ad_title", (select string_agg(file.type || ':' || case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end, ',') as "files"
    from "application_files" as "file"
    where "file"."advertiser_id" = "application"."advertiser_id"
    and "file"."application_id" = "application"."id") as "files"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = $1
  and "application"."id" in ($2);
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "id" > $2
  and "id" < $3
  order by "id" asc
  limit $4;
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "job_ad_id" is not null
  and (job_ad_id, "screen_successful", id) > ($2, $3, $4)
  and (job_ad_id, "screen_successful", id) < ($5, $6, $7)
  order by "job_ad_id" desc, "screen_successful" desc, "id" desc
  limit $8;
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "job_ad_id" = $2
  and "screen_successful" is null
  and "id" > $3
  and "id" < $4
  order by "screen_successful" desc, "id" desc
  limit $5;
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "screen_successful" is not null
  and ("screen_successful", id) > ($2, $3)
  and ("screen_successful", id) < ($4, $5)
  order by "screen_successful" desc, "id" desc
  limit $6;
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "status" is not null
  and ("status", id) > ($2, $3)
  and ("status", id) < ($4, $5)
  order by "status" desc, "id" desc
  limit $6;
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "job_ad_id" is not null
  and (job_ad_id, "status", id) > ($2, $3, $4)
  and (job_ad_id, "status", id) < ($5, $6, $7)
  order by "job_ad_id" desc, "status" desc, "id" desc
  limit $8;
select "id", "email", "first_name", "last_name", "job_reference"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2, $3, $4, $5, $6, $7, $8, $9)
  and "erased_at" is null;
select count(*) as "count"
  from (select "application_id"
    from "application_terms"
    where "advertiser_id" = $1
    and "term" >= $2
    and "term" < $3
    limit $4) as "found";
select "application_id"
  from "application_terms"
  where "advertiser_id" = $1
  and "term" >= $2
  and "term" < $3
  and "application_id" > $4
  and "application_id" < $5
  order by "application_id" desc
  limit $6;
select "id", "email", "first_name", "last_name", "job_reference"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2, $3, $4, $5)
  and "erased_at" is null;

-- applicationSearch.newestIds
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "id" > $2
  and "id" < $3
  order by "id" desc
  limit $4;
select count(*) as "count"
  from (select "application_id"
    from "application_terms"
    where "advertiser_id" = $1
    and "term" >= $2
    and "term" < $3
    limit $4) as "found";
select "application_id"
  from "application_terms"
  where "advertiser_id" = $1
  and "term" >= $2
  and "term" < $3
  and "application_id" > $4
  and "application_id" < $5
  order by "application_id" desc
  limit $6;

-- applicationSearch.related
select "other"."application_id" as "id"
  from "own_applications" as "this"
  inner join "own_applications" as "other" on "other"."candidate_id" = "this"."candidate_id"
  where "this"."advertiser_id" = $1
  and "this"."application_id" = $2
  and +other.advertiser_id = $3
  order by "other"."submitted_at" desc, "other"."application_id" desc
  limit $4;
select "application_id" as "id"
  from "application_terms"
  where "advertiser_id" = $1
  and "term" = $2
  order by "application_id" desc
  limit $3;
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "ad"."title" as "ad_title"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = $1
  and "application"."id" in ($2, $3, $4, $5, $6, $7, $8, $9)
  and "application"."erased_at" is null;

-- applicationSearch.find
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "ad"."title" as "ad_title", "erasure"."due_at", "erasure"."reason", "screen"."json" as "screen_json"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id" left join "erasures" as "erasure" on "erasure"."advertiser_id" = "application"."advertiser_id"
  and "erasure"."application_id" = "application"."id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "application"."advertiser_id"
  and "screen"."application_id" = "application"."id"
  where "application"."advertiser_id" = $1
  and "application"."id" = $2;
select "type", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "advertiser_id" = $1
  and "application_id" = $2;

-- applicationSearch.adChoices
select "id", "title", "reference"
  from "job_ads"
  where "advertiser_id" = $1
  order by "id" desc
  limit $2;

-- candidates.find
select "candidate"."email", "candidate"."first_name", "candidate"."last_name", "candidate"."profile", "resume"."id", "resume"."file_name", "resume"."content_type", "resume"."blob", "resume"."sha256", "resume"."size", "resume"."scan", "resume"."not_judged", "resume"."uploaded_at", "resume"."is_default", "candidate"."id" as "key"
  from "candidates" as "candidate" left join "resumes" as "resume" on "resume"."candidate_id" = "candidate"."id"
  and "resume"."is_default" = 1
  where "candidate"."id" = any($1);

-- candidates.changeProfile
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "first_name", "last_name", "profile"
  from "candidates"
  where "id" = $1;
update "candidates"
  set "first_name" = $1, "last_name" = $2, "profile" = $3
  where "id" = $4;

-- candidates.listResumes
select "id", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "is_default"
  from "resumes"
  where "candidate_id" = $1
  order by "uploaded_at" desc, "id" desc;

-- candidates.findResume
select "id", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "is_default"
  from "resumes"
  where "candidate_id" = $1
  and "id" = $2;

-- candidates.addResume
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select count(*) as "count", coalesce(sum("is_default"), $1) as "defaults"
  from "resumes"
  where "candidate_id" = $2;
insert into "resumes" ("id", "candidate_id", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "is_default")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- candidates.chooseDefault
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "id"
  from "resumes"
  where "candidate_id" = $1
  and "id" = $2;
update "resumes"
  set "is_default" = $1
  where "candidate_id" = $2
  and "is_default" = 1;
update "resumes"
  set "is_default" = $1
  where "candidate_id" = $2
  and "id" = $3;

-- candidates.removeResume
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
delete from "resumes"
  where "candidate_id" = $1
  and "id" = $2
  returning "is_default", "blob";
insert into "tombstones" ("id", "content")
  values ($1, $2);
select "id"
  from "resumes"
  where "candidate_id" = $1
  order by "uploaded_at" desc, "id" desc
  limit $2;
update "resumes"
  set "is_default" = $1
  where "candidate_id" = $2
  and "is_default" = 1;
update "resumes"
  set "is_default" = $1
  where "candidate_id" = $2
  and "id" = $3;

-- sessions.add
update "candidates"
  set "password_hash" = $1
  where "id" = $2
  and "password_hash" = $3
  and (not exists (select "candidate_id"
      from "totp_factors"
      where "candidate_id" = $4)
    and not exists (select "candidate_id"
      from "passkeys"
      where "candidate_id" = $5));
insert into "sessions" ("hash", "id", "candidate_id", "browser", "created_at", "last_used_at", "expires_at", "network", "proved_at", "proved_by", "factors")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);
insert into "sign_in_failures" ("key", "failures", "last_failed_at")
  values ($1, $2, $3)
  on conflict ("key") do nothing;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;

-- sessions.find (the secret is what says who asks)
select "session"."id" as "sessionId", "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."mail_refused_at" as "mailRefusedAt", "session"."last_used_at" as "lastUsedAt", "session"."expires_at" as "expiresAt", "session"."created_at" as "createdAt", "session"."proved_at" as "provedAt", "session"."proved_by" as "provedBy", "session"."factors" as "factors", coalesce((select "role"
      from "memberships"
      where "memberships"."candidate_id" = "candidate"."id"
      limit $1), (select "role"
      from "agent_members"
      where "agent_members"."candidate_id" = "candidate"."id"
      limit $2)) as "anyRole", (select "role"
    from "operators"
    where "operators"."candidate_id" = "candidate"."id") as "operatorRole", "session"."hash" as "key"
  from "sessions" as "session"
  inner join "candidates" as "candidate" on "candidate"."id" = "session"."candidate_id"
  where "session"."hash" = any($3);

-- sessions.prove
update "sessions"
  set "proved_at" = $1, "proved_by" = $2
  where "candidate_id" = $3
  and "id" = $4;

-- factors.find
select "secret", "created_at" as "createdAt", "last_used_at" as "lastUsedAt"
  from "totp_factors"
  where "candidate_id" = $1;
select "id", "name", "rp_id" as "rpId", "transports", "created_at" as "createdAt", "last_used_at" as "lastUsedAt"
  from "passkeys"
  where "candidate_id" = $1
  order by "created_at", "id";
select count(*) as "left"
  from "recovery_codes"
  where "candidate_id" = $1;

-- factors.addTotp
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "candidate_id"
  from "totp_factors"
  where "candidate_id" = $1
  limit $2;
select "candidate_id"
  from "passkeys"
  where "candidate_id" = $1
  limit $2;
insert into "totp_factors" ("candidate_id", "secret", "last_step", "created_at", "last_used_at")
  values ($1, $2, $3, $4, $5)
  on conflict ("candidate_id") do nothing;
delete from "recovery_codes"
  where "candidate_id" = $1;
insert into "recovery_codes" ("candidate_id", "hash", "created_at")
  values ($1, $2, $3);
update "sessions"
  set "factors" = $1, "proved_at" = $2, "proved_by" = $3
  where "candidate_id" = $4
  and "id" = $5;
delete from "sessions"
  where "candidate_id" = $1
  and "id" != $2;

-- factors.findPasskey (a passkey names the account)
select "id", "name", "rp_id" as "rpId", "transports", "created_at" as "createdAt", "last_used_at" as "lastUsedAt", "candidate_id" as "candidateId", "public_key" as "publicKey", "counter"
  from "passkeys"
  where "id" = $1;

-- factors.addPasskey
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
insert into "sent_forms" ("key", "location", "expires_at")
  values ($1, $2, $3)
  on conflict ("key") do nothing;
select "candidate_id"
  from "totp_factors"
  where "candidate_id" = $1
  limit $2;
select count(*) as "count"
  from "passkeys"
  where "candidate_id" = $1;
insert into "passkeys" ("id", "name", "counter", "candidate_id", "rp_id", "public_key", "transports", "created_at", "last_used_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict ("id") do nothing;

-- factors.renamePasskey
update "passkeys"
  set "name" = $1
  where "id" = $2
  and "candidate_id" = $3;

-- factors.removePasskey
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
delete from "passkeys"
  where "id" = $1
  and "candidate_id" = $2;

-- factors.reset
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
delete from "totp_factors"
  where "candidate_id" = $1;
delete from "passkeys"
  where "candidate_id" = $1;
delete from "recovery_codes"
  where "candidate_id" = $1;
delete from "sessions"
  where "candidate_id" = $1;

-- factors.replaceCodes
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "candidate_id"
  from "totp_factors"
  where "candidate_id" = $1
  limit $2;
select "candidate_id"
  from "passkeys"
  where "candidate_id" = $1
  limit $2;

-- factors.removeTotp
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
delete from "totp_factors"
  where "candidate_id" = $1;

-- sessions.recordUse (the secret is what says who asks)
update "sessions"
  set "last_used_at" = $1
  where "hash" = $2
  and "last_used_at" <= $3;

-- sessions.list
select "id" as "sessionId", "browser", "network", "created_at" as "createdAt", "last_used_at" as "lastUsedAt", "proved_at" as "provedAt", "proved_by" as "provedBy", "factors"
  from "sessions"
  where "candidate_id" = $1
  and "expires_at" > $2
  order by "last_used_at" desc, "created_at" desc, "id";

-- sessions.endOthers
delete from "sessions"
  where "candidate_id" = $1
  and "id" != $2
  returning "id", "candidate_id";

-- sessions.end
delete from "sessions"
  where "candidate_id" = $1
  and "id" = $2
  returning "id", "candidate_id";

-- sessions.endByHash (the secret is what says who asks)
delete from "sessions"
  where "hash" = $1
  returning "id", "candidate_id";

-- accounts.find
select "id" as "candidateId", "email", "email_confirmed_at" as "emailConfirmedAt", "password_hash" as "passwordHash", "first_name" as "firstName", "last_name" as "lastName"
  from "candidates"
  where "id" = $1;

-- accounts.findByEmail (an address names the account before the sign-in)
select "id" as "candidateId", "email", "email_confirmed_at" as "emailConfirmedAt", "password_hash" as "passwordHash", "first_name" as "firstName", "last_name" as "lastName"
  from "candidates"
  where "email" = $1;

-- accounts.add (an address names the account before the sign-in)
insert into "candidates" ("id", "email", "password_hash", "first_name", "last_name", "profile", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("email") do nothing;

-- accounts.addLink
insert into "account_links" ("hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- accounts.findLink (the secret is what says who asks)
select "hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark"
  from "account_links"
  where "hash" = $1
  and "purpose" = $2
  and "expires_at" > $3;

-- accounts.findRegistration
select "password_hash", "first_name", "last_name", "expires_at"
  from "account_links"
  where "candidate_id" = $1
  and "purpose" = $2
  and "browser_mark" = $3;

-- accounts.confirm (the secret is what says who asks)
update "candidates"
  set "email" = "email"
  where "id" = (select "candidate_id"
    from "account_links"
    where "hash" = $1);
delete from "account_links"
  where "hash" = $1
  and "purpose" = $2
  and "expires_at" > $3
  returning "hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark";
update "candidates"
  set "email_confirmed_at" = $1, "password_hash" = $2, "first_name" = $3, "last_name" = $4, "mail_refused_at" = $5, "mail_refusal" = $6
  where "id" = $7
  and "email" = $8
  and "email_confirmed_at" is null;
delete from "account_links"
  where "candidate_id" = $1;

-- accounts.changeEmail (the secret is what says who asks)
update "candidates"
  set "email" = "email"
  where "id" = (select "candidate_id"
    from "account_links"
    where "hash" = $1);
delete from "account_links"
  where "hash" = $1
  and "purpose" = $2
  and "expires_at" > $3
  returning "hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark";
delete from "account_links"
  where "candidate_id" in (select "id"
    from "candidates"
    where "email" = $1
    and "email_confirmed_at" is null);
delete from "candidates"
  where "id" in (select "id"
    from "candidates"
    where "email" = $1
    and "email_confirmed_at" is null);
update "candidates"
  set "email" = $1, "email_confirmed_at" = $2, "mail_refused_at" = $3, "mail_refusal" = $4
  where "id" = $5
  and not exists (select "other"."id"
    from "candidates" as "other"
    where "other"."email" = $6);
delete from "account_links"
  where "candidate_id" = $1;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;

-- accounts.resetPassword (the secret is what says who asks)
update "candidates"
  set "email" = "email"
  where "id" = (select "candidate_id"
    from "account_links"
    where "hash" = $1);
delete from "account_links"
  where "hash" = $1
  and "purpose" = $2
  and "expires_at" > $3
  returning "hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark";
update "candidates"
  set "password_hash" = $1, "mail_refused_at" = $2, "mail_refusal" = $3, "email_confirmed_at" = coalesce("email_confirmed_at", $4)
  where "id" = $5
  and "email" = $6;
delete from "account_links"
  where "candidate_id" = $1;
delete from "sessions"
  where "candidate_id" = $1;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;

-- accounts.changePassword
update "candidates"
  set "password_hash" = $1
  where "id" = $2
  and "password_hash" = $3;
delete from "sessions"
  where "candidate_id" = $1
  and "id" != $2;
delete from "account_links"
  where "candidate_id" = $1;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;

-- accounts.countMail (counts by the hash of an address or of an account, which nobody owns)
insert into "mail_counts" ("recipient_hash", "hour", "mails")
  values ($1, $2, $3)
  on conflict ("recipient_hash") do update
  set "hour" = $4, "mails" = case when "mail_counts"."hour" = $5 then "mail_counts"."mails" + $6 else $7 end
  returning "mails";

-- failures.replace (counts by the hash of an address or of an account, which nobody owns)
insert into "sign_in_failures" ("key", "failures", "last_failed_at")
  values ($1, $2, $3)
  on conflict ("key") do nothing;
update "sign_in_failures"
  set "failures" = $1, "last_failed_at" = $2
  where "key" = $3
  and "failures" = $4
  and "last_failed_at" = $5;

-- failures.find (counts by the hash of an address or of an account, which nobody owns)
select "failures", "last_failed_at" as "lastFailedAt"
  from "sign_in_failures"
  where "key" = $1;

-- failures.set (counts by the hash of an address or of an account, which nobody owns)
insert into "sign_in_failures" ("key", "failures", "last_failed_at")
  values ($1, $2, $3)
  on conflict ("key") do update
  set "failures" = $4, "last_failed_at" = $5;

-- failures.takeBack (counts by the hash of an address or of an account, which nobody owns)
update "sign_in_failures"
  set "failures" = "failures" - $1
  where "key" = $2
  and "failures" > $3;

-- failures.remove (counts by the hash of an address or of an account, which nobody owns)
delete from "sign_in_failures"
  where "key" = $1;

-- intakeDirectory.statusOf
select "advertiser"."status"
  from "oauth_client_advertisers" as "listed"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "listed"."advertiser_id"
  where "listed"."client_id" = $1
  and "listed"."advertiser_id" = $2;

-- intake.claim
insert into "intake_keys" ("client_id", "key", "claim", "expires_at", "held_until")
  values ($1, $2, $3, $4, (extract(epoch
        from clock_timestamp()) * 1000)::bigint + $5)
  on conflict ("client_id", "key") do update
  set "claim" = $6, "expires_at" = $7, "held_until" = (extract(epoch
      from clock_timestamp()) * 1000)::bigint + $8, "content_hash" = $9, "answer" = $10
  where ("intake_keys"."expires_at" <= $11 or ("intake_keys"."answer" is null
      and "intake_keys"."held_until" <= (extract(epoch
          from clock_timestamp()) * 1000)::bigint));
select "content_hash", "answer", "expires_at", held_until - (extract(epoch
      from clock_timestamp()) * 1000)::bigint as "held_ms"
  from "intake_keys"
  where "client_id" = $1
  and "key" = $2
  and "expires_at" > $3;

-- intake.madeWith
select "content_hash", "answer", "expires_at", held_until - (extract(epoch
      from clock_timestamp()) * 1000)::bigint as "held_ms"
  from "intake_keys"
  where "client_id" = $1
  and "key" = $2
  and "expires_at" > $3;

-- intake.renew
update "intake_keys"
  set "held_until" = (extract(epoch
      from clock_timestamp()) * 1000)::bigint + $1
  where "client_id" = $2
  and "key" = $3
  and "claim" = $4
  and "answer" is null;

-- intake.add
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > $1 then last_submitted_at else $2 end, "version" = case when (case when version > event_number then version else event_number end) >= $3 then (case when version > event_number then version else event_number end) + 1 else $4 end, "event_number" = case when (case when version > event_number then version else event_number end) >= $5 then (case when version > event_number then version else event_number end) + 1 else $6 end
  where "advertiser_id" = $7
  returning "last_submitted_at", "event_number", nextval('application_ids') as "id", pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as "server";
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful")
  values ($1, $2, $3, $4, $5, $6, $7);
with "pieces" as (insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
    values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10)), "terms" as (insert into "application_terms" ("advertiser_id", "term", "application_id") select $11::bigint, term, $12::bigint
    from unnest($13::text[]) term), "event" as (insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
    values ($14, $15, $16, $17, $18)), "count" as (insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
    values ($19, $20, $21, $22)
    on conflict ("advertiser_id", "job_ad_id", "status") do update
    set "applications" = application_counts.applications + 1) select 1 as "done";
insert into "intake_applications" ("application_id", "advertiser_id", "client_id", "key")
  values ($1, $2, $3, $4);

-- intake.addOnce
update "intake_keys"
  set "content_hash" = $1
  where "client_id" = $2
  and "key" = $3
  and "claim" = $4
  and "answer" is null;
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > $1 then last_submitted_at else $2 end, "version" = case when (case when version > event_number then version else event_number end) >= $3 then (case when version > event_number then version else event_number end) + 1 else $4 end, "event_number" = case when (case when version > event_number then version else event_number end) >= $5 then (case when version > event_number then version else event_number end) + 1 else $6 end
  where "advertiser_id" = $7
  returning "last_submitted_at", "event_number", nextval('application_ids') as "id", pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as "server";
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful")
  values ($1, $2, $3, $4, $5, $6, $7);
with "pieces" as (insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
    values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10)), "terms" as (insert into "application_terms" ("advertiser_id", "term", "application_id") select $11::bigint, term, $12::bigint
    from unnest($13::text[]) term), "event" as (insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
    values ($14, $15, $16, $17, $18)), "count" as (insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
    values ($19, $20, $21, $22)
    on conflict ("advertiser_id", "job_ad_id", "status") do update
    set "applications" = application_counts.applications + 1) select 1 as "done";
insert into "intake_applications" ("application_id", "advertiser_id", "client_id", "key")
  values ($1, $2, $3, $4);
update "intake_keys"
  set "content_hash" = $1, "answer" = $2, "expires_at" = $3, "held_until" = $4
  where "client_id" = $5
  and "key" = $6;

-- intake.find
select "advertiser_id"
  from "intake_applications"
  where "client_id" = $1
  and "application_id" = $2;
select "id", "advertiser_id" as "advertiserId", "submitted_at" as "submittedAt"
  from "applications"
  where "advertiser_id" = $1
  and "id" = $2;
select "type", "file_name" as "fileName", "size", "sha256", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "advertiser_id" = $1
  and "application_id" = $2;

-- intake.release
delete from "intake_keys"
  where "client_id" = $1
  and "key" = $2
  and "claim" = $3
  and "answer" is null;

-- clients.add (the operator's own look-up or list)
insert into "oauth_clients" ("id", "name", "agent_id", "scopes", "require_pkce", "created_at")
  values ($1, $2, $3, $4, $5, $6)
  on conflict ("id") do nothing;
insert into "oauth_client_advertisers" ("client_id", "advertiser_id")
  values ($1, $2);
insert into "oauth_client_secrets" ("client_id", "hash", "created_at")
  values ($1, $2, $3);
insert into "oauth_redirect_uris" ("client_id", "uri")
  values ($1, $2);

-- clients.allow (the operator's own look-up or list)
insert into "oauth_client_advertisers" ("client_id", "advertiser_id")
  values ($1, $2)
  on conflict ("client_id", "advertiser_id") do nothing;

-- clients.forbid (the operator's own look-up or list)
delete from "oauth_client_advertisers"
  where "client_id" = $1
  and "advertiser_id" = $2;
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- clients.setPrivacyUrl (the operator's own look-up or list)
update "oauth_clients"
  set "privacy_url" = $1
  where "id" = $2;

-- clients.setRedirectUris (the operator's own look-up or list)
update "oauth_clients"
  set "name" = "name"
  where "id" = $1;
delete from "oauth_redirect_uris"
  where "client_id" = $1
  returning "uri";
insert into "oauth_redirect_uris" ("client_id", "uri")
  values ($1, $2);

-- clients.list (the operator's own look-up or list)
select "client"."id", "client"."name", "client"."agent_id" as "agentId", "client"."scopes", "client"."require_pkce" as "requirePkce", "client"."disabled_at" as "disabledAt", "client"."logo_hash" as "logoHash", "client"."privacy_url" as "privacyUrl", "client"."created_at" as "createdAt", ( select string_agg(uri, ' '
      order by uri)
    from oauth_redirect_uris
    where client_id = client.id ) as "redirectUris", ( select string_agg(cast(advertiser_id as text), ' '
      order by advertiser_id)
    from oauth_client_advertisers
    where client_id = client.id ) as "advertiserIds", (select count(*) as "secrets"
    from "oauth_client_secrets"
    where "client_id" = "client"."id") as "secrets"
  from "oauth_clients" as "client"
  order by "client"."id";
select "client"."id", "client"."name", "client"."agent_id" as "agentId", "client"."scopes", "client"."require_pkce" as "requirePkce", "client"."disabled_at" as "disabledAt", "client"."logo_hash" as "logoHash", "client"."privacy_url" as "privacyUrl", "client"."created_at" as "createdAt", ( select string_agg(uri, ' '
      order by uri)
    from oauth_redirect_uris
    where client_id = client.id ) as "redirectUris", ( select string_agg(cast(advertiser_id as text), ' '
      order by advertiser_id)
    from oauth_client_advertisers
    where client_id = client.id ) as "advertiserIds", (select count(*) as "secrets"
    from "oauth_client_secrets"
    where "client_id" = "client"."id") as "secrets"
  from "oauth_clients" as "client"
  where "client"."agent_id" = $1
  order by "client"."id";

-- clientChanges.add
update "oauth_clients"
  set "name" = "name"
  where "id" = $1;
insert into "client_changes" ("client_id", "kind", "id", "value", "requested_by", "requested_at")
  values ($1, $2, $3, $4, $5, $6)
  on conflict ("client_id", "kind") do update
  set "id" = $7, "value" = $8, "requested_by" = $9, "requested_at" = $10;

-- clientChanges.listOf
select "id", "client_id" as "clientId", "kind", "value", "requested_by" as "requestedBy", "requested_at" as "requestedAt"
  from "client_changes"
  where "client_id" = $1
  order by "requested_at", "id";

-- clientChanges.list (the operator's own look-up or list)
select "id", "client_id" as "clientId", "kind", "value", "requested_by" as "requestedBy", "requested_at" as "requestedAt"
  from "client_changes"
  order by "requested_at", "id";

-- clientChanges.end
delete from "client_changes"
  where "client_id" = $1
  and "id" = $2
  returning "kind";

-- clients.find
select "client"."id", "client"."name", "client"."agent_id" as "agentId", "client"."scopes", "client"."require_pkce" as "requirePkce", "client"."disabled_at" as "disabledAt", "client"."logo_hash" as "logoHash", "client"."privacy_url" as "privacyUrl", ( select string_agg(uri, ' '
      order by uri)
    from oauth_redirect_uris
    where client_id = client.id ) as "redirectUris", ( select string_agg(hash, ' '
      order by created_at desc)
    from oauth_client_secrets
    where client_id = client.id ) as "secretHashes", "client"."id" as "key"
  from "oauth_clients" as "client"
  where "client"."id" = any($1);

-- clients.addSecret
update "oauth_clients"
  set "name" = "name"
  where "id" = $1;
select "hash", "created_at"
  from "oauth_client_secrets"
  where "client_id" = $1
  order by "created_at" desc;
insert into "oauth_client_secrets" ("client_id", "hash", "created_at")
  values ($1, $2, $3);
delete from "oauth_client_secrets"
  where "client_id" = $1
  and "hash" in ($2, $3);
insert into "tombstones" ("id", "content")
  values ($1, $2), ($3, $4);

-- oauth.revokeToken
update "oauth_tokens"
  set "revoked_at" = $1
  where "hash" = $2
  and "client_id" = $3
  and "revoked_at" is null;

-- consents.narrow
update "grants"
  set "released" = released & ~cast($1 as bigint)
  where "id" = $2
  and "candidate_id" = $3
  and "withdrawn_at" is null
  returning "released", "decided_at";
update "oauth_codes"
  set "released" = released & cast($1 as bigint)
  where "grant_id" = $2
  and released & ~cast($3 as bigint) != $4;
update "oauth_tokens"
  set "released" = released & cast($1 as bigint)
  where "hash" in (select "token_hash"
    from "oauth_codes"
    where "grant_id" = $2
    and "token_hash" is not null)
  and released & ~cast($3 as bigint) != $4;
delete from "released_resumes"
  where "grant_id" = $1;
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- consents.withdraw
update "grants"
  set "withdrawn_at" = $1
  where "id" = $2
  and "candidate_id" = $3
  and "withdrawn_at" is null;
update "oauth_codes"
  set "expires_at" = $1
  where "grant_id" = $2
  and "expires_at" > $3;
update "oauth_tokens"
  set "revoked_at" = $1
  where "hash" in (select "token_hash"
    from "oauth_codes"
    where "grant_id" = $2
    and "token_hash" is not null)
  and "revoked_at" is null;
select "id", "client_id" as "clientId", "advertiser_id" as "advertiserId"
  from "prefilled_applications"
  where "candidate_id" = $1
  and "grant_id" = $2;
insert into "client_ledger" ("client_id", "event_number")
  values ($1, $2)
  on conflict ("client_id") do update
  set "event_number" = case when client_ledger.event_number >= $3 then client_ledger.event_number + 1 else $4 end
  returning "event_number";
insert into "client_events" ("client_id", "number", "type", "detail")
  values ($1, $2, $3, $4);
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- agents.withdraw
select "authorised_at"
  from "agent_authorisations"
  where "advertiser_id" = $1
  and "agent_id" = $2;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end
  where "advertiser_id" = $3
  returning "event_number";
delete from "agent_authorisations"
  where "advertiser_id" = $1
  and "agent_id" = $2
  returning "authorised_at";
insert into "tombstones" ("id", "content")
  values ($1, $2);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);
delete from "webhook_lanes"
  where "advertiser_id" = $1
  and "endpoint_id" in (select "id"
    from "webhook_endpoints"
    where "agent_id" = $2);

-- clients.disable
update "oauth_clients"
  set "disabled_at" = coalesce("disabled_at", $1)
  where "id" = $2
  returning "disabled_at";
update "oauth_codes"
  set "expires_at" = $1
  where "client_id" = $2
  and "redeemed_at" is null
  and "expires_at" > $3;
update "oauth_tokens"
  set "revoked_at" = $1
  where "client_id" = $2
  and "hash" in (select "hash"
    from "oauth_tokens"
    where "client_id" = $3
    and "revoked_at" is null
    and "expires_at" > $4
    order by "hash" for no key update);
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- imports.begin (the operator's own look-up or list)
insert into "imports" ("file_hash", "entries_done", "imported", "refused", "started_at")
  values ($1, $2, $3, $4, $5)
  on conflict do nothing;

-- imports.newestApplications (the operator's own look-up or list)
select "advertiser_id", "last_submitted_at", "version"
  from "advertiser_ledger"
  where "advertiser_id" in ($1);

-- imports.addBatch (the operator's own look-up or list)
update "imports"
  set "entries_done" = $1
  where "file_hash" = $2
  and "entries_done" = $3
  and "finished_at" is null;
select "advertiser_id", "last_submitted_at", "version"
  from "advertiser_ledger"
  where "advertiser_id" in ($1)
  order by "advertiser_id" for update;
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > $1 then last_submitted_at else $2 end, "version" = case when (case when version > event_number then version else event_number end) >= $3 then (case when version > event_number then version else event_number end) + 1 else $4 end, "event_number" = case when (case when version > event_number then version else event_number end) >= $5 then (case when version > event_number then version else event_number end) + 1 else $6 end
  where "advertiser_id" = $7
  returning "last_submitted_at", "event_number", nextval('application_ids') as "id", pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as "server";
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful")
  values ($1, $2, $3, $4, $5, $6, $7);
with "pieces" as (insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
    values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10)), "terms" as (insert into "application_terms" ("advertiser_id", "term", "application_id") select $11::bigint, term, $12::bigint
    from unnest($13::text[]) term), "event" as (insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
    values ($14, $15, $16, $17, $18)), "count" as (insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
    values ($19, $20, $21, $22)
    on conflict ("advertiser_id", "job_ad_id", "status") do update
    set "applications" = application_counts.applications + 1) select 1 as "done";
update "imports"
  set "imported" = "imported" + $1, "refused" = "refused" + $2
  where "file_hash" = $3
  returning "imported", "refused";
update "imports"
  set "entries_done" = $1, "finished_at" = $2
  where "file_hash" = $3
  and "entries_done" = $4
  and "finished_at" is null;
insert into "import_refusals" ("file_hash", "line", "code", "reason")
  values ($1, $2, $3, $4);

-- imports.find (the operator's own look-up or list)
select "entries_done" as "linesDone", "imported", "refused", "finished_at" as "finishedAt"
  from "imports"
  where "file_hash" = $1;

-- imports.refusals (the operator's own look-up or list)
select "line", "code", "reason"
  from "import_refusals"
  where "file_hash" = $1
  and "line" > $2
  order by "line"
  limit $3;

-- keeping.find
select "own"."advertiser_id", "own"."submitted_at" as "submittedAt", "advertiser"."time_zone" as "timeZone", "advertiser"."retention_choice", "advertiser"."retention_months", "advertiser"."next_retention_months", "advertiser"."retention_changes_at"
  from "own_applications" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2;
select "erasure"."due_at" as "plannedAt", "hold"."placed_at"
  from "applications" as "application" left join "application_holds" as "hold" on "hold"."advertiser_id" = "application"."advertiser_id"
  and "hold"."application_id" = "application"."id" left join "erasures" as "erasure" on "erasure"."advertiser_id" = "application"."advertiser_id"
  and "erasure"."application_id" = "application"."id"
  where "application"."advertiser_id" = $1
  and "application"."id" = $2
  and "application"."erased_at" is null;

-- retention.companies (the operator's own look-up or list)
select "id" as "advertiserId", "name", "time_zone" as "timeZone", "retention_choice", "retention_months", "next_retention_months", "retention_changes_at", exists (select "application"."id"
    from "applications" as "application"
    where "application"."advertiser_id" = "advertisers"."id"
    and "application"."erased_at" is null) as "isKeeping"
  from "advertisers"
  where "id" > $1
  order by "id"
  limit $2;

-- retention.find
select "id" as "advertiserId", "name", "time_zone" as "timeZone", "retention_choice", "retention_months", "next_retention_months", "retention_changes_at", exists (select "application"."id"
    from "applications" as "application"
    where "application"."advertiser_id" = $1
    and "application"."erased_at" is null) as "isKeeping"
  from "advertisers"
  where "id" = $2;

-- retention.update
select "id" as "advertiserId", "name", "time_zone" as "timeZone", "retention_choice", "retention_months", "next_retention_months", "retention_changes_at", exists (select "application"."id"
    from "applications" as "application"
    where "application"."advertiser_id" = $1
    and "application"."erased_at" is null) as "isKeeping"
  from "advertisers"
  where "id" = $2 for no key update;
update "advertisers"
  set "retention_choice" = $1, "retention_months" = $2, "next_retention_months" = $3, "retention_changes_at" = $4
  where "id" = $5;
delete from "erasures"
  where "advertiser_id" = $1
  and "reason" = $2;
select "candidate_id" as "candidateId"
  from "memberships"
  where "advertiser_id" = $1
  and "role" = $2;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7), ($8, $9, $10, $11, $12, $13, $14);

-- retention.untold (the operator's own look-up or list)
select "id"
  from "advertisers"
  where "retention_changes_at" > $1
  and (exists (select "admin"."id"
      from "memberships" as "member"
      inner join "candidates" as "admin" on "admin"."id" = "member"."candidate_id"
      where "member"."advertiser_id" = "advertisers"."id"
      and "member"."role" = $2)
    and not exists (select "admin"."id"
      from "memberships" as "member"
      inner join "candidates" as "admin" on "admin"."id" = "member"."candidate_id"
      where "member"."advertiser_id" = "advertisers"."id"
      and "member"."role" = $3
      and "admin"."mail_refused_at" is null))
  order by "id"
  limit $4;
select "id"
  from "advertisers"
  where "retention_changes_at" > $1
  and "id" = $2
  and (exists (select "admin"."id"
      from "memberships" as "member"
      inner join "candidates" as "admin" on "admin"."id" = "member"."candidate_id"
      where "member"."advertiser_id" = "advertisers"."id"
      and "member"."role" = $3)
    and not exists (select "admin"."id"
      from "memberships" as "member"
      inner join "candidates" as "admin" on "admin"."id" = "member"."candidate_id"
      where "member"."advertiser_id" = "advertisers"."id"
      and "member"."role" = $4
      and "admin"."mail_refused_at" is null))
  order by "id"
  limit $5;

-- retention.keptBefore
select count(*) as "applications", count("hold"."application_id") as "onHold", min(case when hold.application_id is null then application.submitted_at end) as "oldestAt"
  from "applications" as "application" left join "application_holds" as "hold" on "hold"."advertiser_id" = "application"."advertiser_id"
  and "hold"."application_id" = "application"."id"
  where "application"."advertiser_id" = $1
  and "application"."submitted_at" < $2
  and "application"."erased_at" is null;

-- retention.planErasures
select "id"
  from "advertisers"
  where "id" = $1
  and "retention_months" = $2 for share;
insert into "erasures" ("advertiser_id", "application_id", "due_at", "reason") select "application"."advertiser_id", "application"."id", cast($1 as bigint) as "due_at", 'retention' as "reason"
  from "applications" as "application"
  where "application"."advertiser_id" = $2
  and "application"."submitted_at" < $3
  and "application"."erased_at" is null
  and not exists (select "hold"."application_id"
    from "application_holds" as "hold"
    where "hold"."advertiser_id" = "application"."advertiser_id"
    and "hold"."application_id" = "application"."id")
  and not exists (select "erasure"."application_id"
    from "erasures" as "erasure"
    where "erasure"."advertiser_id" = "application"."advertiser_id"
    and "erasure"."application_id" = "application"."id"
    and "erasure"."due_at" <= $4)
  order by "application"."submitted_at", "application"."id"
  limit $5
  on conflict ("advertiser_id", "application_id") do update
  set "due_at" = "excluded"."due_at"
  where "erasures"."due_at" > "excluded"."due_at";

-- holds.place
select "id", "job_ad_id", "status", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
insert into "application_holds" ("advertiser_id", "application_id", "reason", "placed_by", "placed_at")
  values ($1, $2, $3, $4, $5)
  on conflict ("advertiser_id", "application_id") do nothing;
delete from "erasures"
  where "advertiser_id" = $1
  and "application_id" = $2
  and "reason" = $3;
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "actor_id", "text")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8);

-- holds.find
select "hold"."reason", "hold"."placed_at" as "placedAt", "hold"."placed_by" as "placedBy", nullif(trim(person.first_name || ' ' || person.last_name), '') as "placedByName"
  from "application_holds" as "hold" left join "candidates" as "person" on "person"."id" = "hold"."placed_by"
  where "hold"."advertiser_id" = $1
  and "hold"."application_id" = $2;

-- holds.list (the operator's own look-up or list)
select "hold"."reason", "hold"."placed_at" as "placedAt", "hold"."placed_by" as "placedBy", nullif(trim(person.first_name || ' ' || person.last_name), '') as "placedByName", "hold"."advertiser_id" as "advertiserId", "hold"."application_id" as "applicationId"
  from "application_holds" as "hold" left join "candidates" as "person" on "person"."id" = "hold"."placed_by"
  order by "hold"."advertiser_id", "hold"."application_id";
select "hold"."reason", "hold"."placed_at" as "placedAt", "hold"."placed_by" as "placedBy", nullif(trim(person.first_name || ' ' || person.last_name), '') as "placedByName", "hold"."advertiser_id" as "advertiserId", "hold"."application_id" as "applicationId"
  from "application_holds" as "hold" left join "candidates" as "person" on "person"."id" = "hold"."placed_by"
  where "hold"."advertiser_id" = $1
  order by "hold"."advertiser_id", "hold"."application_id";

-- holds.release
select "id", "job_ad_id", "status", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
delete from "application_holds"
  where "advertiser_id" = $1
  and "application_id" = $2;
delete from "erasures"
  where "advertiser_id" = $1
  and "application_id" = $2
  and "reason" = $3;
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "actor_id")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7);

-- erasures.due (removes what is over, whoever had it)
select "advertiser_id" as "advertiserId", "application_id" as "applicationId", "due_at" as "dueAt"
  from "erasures"
  where "due_at" <= $1
  and not exists (select "hold"."application_id"
    from "application_holds" as "hold"
    where "hold"."advertiser_id" = "erasures"."advertiser_id"
    and "hold"."application_id" = "erasures"."application_id")
  order by "due_at", "advertiser_id", "application_id"
  limit $2;
select "advertiser_id" as "advertiserId", "application_id" as "applicationId", "due_at" as "dueAt"
  from "erasures"
  where "due_at" <= $1
  and not exists (select "hold"."application_id"
    from "application_holds" as "hold"
    where "hold"."advertiser_id" = "erasures"."advertiser_id"
    and "hold"."application_id" = "erasures"."application_id")
  and ("due_at", "advertiser_id", "application_id") > ($2, $3, $4)
  order by "due_at", "advertiser_id", "application_id"
  limit $5;

-- erasures.erase
select "email", "first_name", "last_name", "job_reference", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" = $2;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end, "version" = case when (case when version > event_number then version else event_number end) >= $3 then (case when version > event_number then version else event_number end) + 1 else $4 end
  where "advertiser_id" = $5
  returning "event_number";
select "id", "job_ad_id", "status", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select "placed_at"
  from "application_holds"
  where "advertiser_id" = $1
  and "application_id" = $2;
delete from "erasures"
  where "advertiser_id" = $1
  and "application_id" = $2
  and "due_at" <= $3
  returning "reason";
delete from "erasures"
  where "advertiser_id" = $1
  and "application_id" = $2
  returning "reason";
delete from "application_files"
  where "advertiser_id" = $1
  and "application_id" = $2
  returning "blob";
insert into "loose_blobs" ("blob", "since")
  values ($1, $2)
  on conflict ("blob") do update
  set "since" = case when "loose_blobs"."since" < $3 then $4 else "loose_blobs"."since" + $5 end;
delete from "application_screens"
  where "advertiser_id" = $1
  and "application_id" = $2;
delete from "application_terms"
  where "advertiser_id" = $1
  and "term" in ($2, $3, $4)
  and "application_id" = $5;
update "applications"
  set "email" = $1, "first_name" = $2, "last_name" = $3, "phone" = $4, "job_title" = $5, "company_name" = $6, "time_in_role_months" = $7, "is_new_to_work_force" = $8, "screen_successful" = $9, "has_virus" = $10, "erased_at" = $11
  where "advertiser_id" = $12
  and "id" = $13;
delete from "application_history"
  where "advertiser_id" = $1
  and "application_id" = $2;
delete from "application_reads"
  where "advertiser_id" = $1
  and "application_id" = $2;
delete from "application_holds"
  where "advertiser_id" = $1
  and "application_id" = $2;
select "advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "erased_at", "status"
  from "applications"
  where "advertiser_id" = $1
  and "id" = $2;
select "type", "sha256", "size", "scan", "uploaded_at" as "uploadedAt"
  from "application_files"
  where "advertiser_id" = $1
  and "application_id" = $2;
select "sha256", "size"
  from "application_screens"
  where "advertiser_id" = $1
  and "application_id" = $2;
update "application_pieces"
  set "body" = $1, "primary_info" = $2
  where "advertiser_id" = $3
  and "format" = $4
  and "id" = $5;
select "client_id", "key"
  from "intake_applications"
  where "application_id" = $1
  and "advertiser_id" = $2
  and "key" is not null;
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- accountRemoval.lastAdminOf
select "advertiser"."id", "advertiser"."name", "advertiser"."status"
  from "memberships" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = $1
  and "own"."role" = $2
  and not exists (select "other"."candidate_id"
    from "memberships" as "other"
    where "other"."advertiser_id" = "own"."advertiser_id"
    and "other"."candidate_id" != "own"."candidate_id"
    and "other"."role" = $3)
  order by "advertiser"."name", "advertiser"."id";
select "agent"."id", "agent"."name"
  from "agent_members" as "own"
  inner join "agents" as "agent" on "agent"."id" = "own"."agent_id"
  where "own"."candidate_id" = $1
  and "own"."role" = $2
  and not exists (select "other"."candidate_id"
    from "agent_members" as "other"
    where "other"."agent_id" = "own"."agent_id"
    and "other"."candidate_id" != "own"."candidate_id"
    and "other"."role" = $3)
  order by "agent"."name", "agent"."id";
select "candidate_id"
  from "operators"
  where "role" = $1;

-- accountRemoval.remove
update "candidates"
  set "password_hash" = $1
  where "id" = $2
  and "password_hash" = $3;
select "id"
  from "grants"
  where "candidate_id" = $1
  order by "id" for no key update;
select "hash"
  from "oauth_codes"
  where "grant_id" in (select "id"
    from "grants"
    where "candidate_id" = $1)
  order by "hash" for no key update;
select "hash"
  from "oauth_tokens"
  where "grant_id" in (select "id"
    from "grants"
    where "candidate_id" = $1)
  order by "hash" for no key update;
select "id"
  from "candidates"
  where "id" = $1 for update;
select "id"
  from "advertisers"
  where "id" in (select "advertiser_id"
    from "memberships"
    where "candidate_id" = $1)
  order by "id" for no key update;
select "id"
  from "agents"
  where "id" in (select "agent_id"
    from "agent_members"
    where "candidate_id" = $1)
  order by "id" for no key update;
select "candidate_id"
  from "operators"
  where "role" in (select "role"
    from "operators"
    where "candidate_id" = $1)
  order by "candidate_id" for update;
select "advertiser"."id", "advertiser"."name", "advertiser"."status"
  from "memberships" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = $1
  and "own"."role" = $2
  and not exists (select "other"."candidate_id"
    from "memberships" as "other"
    where "other"."advertiser_id" = "own"."advertiser_id"
    and "other"."candidate_id" != "own"."candidate_id"
    and "other"."role" = $3)
  order by "advertiser"."name", "advertiser"."id";
select "agent"."id", "agent"."name"
  from "agent_members" as "own"
  inner join "agents" as "agent" on "agent"."id" = "own"."agent_id"
  where "own"."candidate_id" = $1
  and "own"."role" = $2
  and not exists (select "other"."candidate_id"
    from "agent_members" as "other"
    where "other"."agent_id" = "own"."agent_id"
    and "other"."candidate_id" != "own"."candidate_id"
    and "other"."role" = $3)
  order by "agent"."name", "agent"."id";
select "candidate_id"
  from "operators"
  where "role" = $1;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;
delete from "own_applications"
  where "candidate_id" = $1
  returning "advertiser_id", "application_id";
insert into "erasures" ("advertiser_id", "application_id", "due_at", "reason")
  values ($1, $2, $3, $4), ($5, $6, $7, $8), ($9, $10, $11, $12)
  on conflict ("advertiser_id", "application_id") do update
  set "due_at" = case when erasures.due_at < excluded.due_at then erasures.due_at else excluded.due_at end, "reason" = excluded.reason;
select "id", "client_id" as "clientId", "advertiser_id" as "advertiserId"
  from "prefilled_applications"
  where "candidate_id" = $1;
delete from "disclosures"
  where "candidate_id" = $1;
delete from "prefilled_applications"
  where "candidate_id" = $1;
delete from "sessions"
  where "candidate_id" = $1;
delete from "totp_factors"
  where "candidate_id" = $1;
delete from "passkeys"
  where "candidate_id" = $1;
delete from "recovery_codes"
  where "candidate_id" = $1;
delete from "account_links"
  where "candidate_id" = $1;
delete from "memberships"
  where "candidate_id" = $1;
delete from "operators"
  where "candidate_id" = $1;
delete from "agent_members"
  where "candidate_id" = $1;
select "email"
  from "candidates"
  where "id" = $1;
delete from "deliveries"
  where (content like $1 escape '!' or content like $2 escape '!');
delete from "released_resumes"
  where "grant_id" in (select "id"
    from "grants"
    where "candidate_id" = $1);
delete from "oauth_tokens"
  where "grant_id" in (select "id"
    from "grants"
    where "candidate_id" = $1);
delete from "oauth_codes"
  where "grant_id" in (select "id"
    from "grants"
    where "candidate_id" = $1);
delete from "grants"
  where "candidate_id" = $1;
delete from "resumes"
  where "candidate_id" = $1
  returning "blob";
insert into "loose_blobs" ("blob", "since")
  values ($1, $2)
  on conflict ("blob") do update
  set "since" = case when "loose_blobs"."since" < $3 then $4 else "loose_blobs"."since" + $5 end;
delete from "candidates"
  where "id" = $1;
insert into "client_ledger" ("client_id", "event_number")
  values ($1, $2)
  on conflict ("client_id") do update
  set "event_number" = case when client_ledger.event_number >= $3 then client_ledger.event_number + 1 else $4 end
  returning "event_number";
insert into "client_events" ("client_id", "number", "type", "detail")
  values ($1, $2, $3, $4);
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- audit.record
insert into "audit_heads" ("scope", "number", "at", "hash", "month", "first_number", "first_prev")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("scope") do update
  set "number" = audit_heads.number
  returning "scope", "number", "at", "hash", "month", "first_number", "first_prev";
insert into "audit_entries" ("scope", "number", "at", "proof", "action", "target", "before", "after", "prev", "actor_kind", "actor_id", "request_id", "hash", "address")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);
update "audit_heads"
  set "number" = $1, "at" = $2, "hash" = $3, "month" = $4
  where "scope" = $5;

-- audit.list (the operator's own look-up or list)
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where "scope" = $1
  order by "number" desc
  limit $2;
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where "at" >= $1
  and "at" < $2
  and "actor_kind" = $3
  and action >= $4
  and action < $5
  and "scope" = $6
  and "number" < $7
  order by "number" desc
  limit $8;
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where "actor_id" = $1
  and "action" = $2
  order by "at" desc, "scope" desc, "number" desc
  limit $3;
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where ("at", "scope", "number") < ($1, $2, $3)
  order by "at" desc, "scope" desc, "number" desc
  limit $4;

-- audit.read (the operator's own look-up or list)
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where "scope" = $1
  and "number" > $2
  order by "number"
  limit $3;

-- audit.heads (the operator's own look-up or list)
select "scope", "number", "hash"
  from "audit_heads"
  order by "scope";
select "scope", "number", "hash"
  from "audit_heads"
  where "scope" = $1
  order by "scope";

-- audit.seals (the operator's own look-up or list)
select "month", "first_number", "last_number", "prev", "hash", "dropped_at"
  from "audit_seals"
  where "scope" = $1
  order by "first_number";

-- audit.namesOf (names of the people in the entries that the caller was shown)
select "id", "email", "first_name", "last_name"
  from "candidates"
  where "id" in ($1);

-- audit.restoredAt (the operator's own look-up or list)
select "value"
  from "meta"
  where "key" = $1;

-- audit.databaseId (the operator's own look-up or list)
select "value"
  from "meta"
  where "key" = $1;

-- audit.noteFailedSignIns (counts wrong passwords of everyone who works for a company, an agent or the board)
select "value"
  from "meta"
  where "key" = $1;
select "key", "failures", "last_failed_at" as "lastAt"
  from "sign_in_failures"
  where "key" < $1
  and "last_failed_at" > $2
  and "last_failed_at" <= $3
  and "failures" >= $4
  limit $5;
insert into "meta" ("key", "value")
  values ($1, $2)
  on conflict ("key") do update
  set "value" = $3;

-- audit.expireAddresses (removes what is over, whoever had it)
update "audit_entries"
  set "address" = $1
  where ("scope", "number") in (select "scope", "number"
    from "audit_entries"
    where "address" is not null
    and "at" < $2
    order by "at"
    limit $3);

-- audit.dropMonths (removes what is over, whoever had it)
select "scope"
  from "audit_heads"
  where "month" < $1
  and "number" > $2
  order by "scope";
update "audit_seals"
  set "dropped_at" = $1
  where "dropped_at" is null
  and "month" < $2;

-- audit.removeDropped (removes what is over, whoever had it)
delete from "audit_entries"
  where ("scope", "number") in (select "entry"."scope", "entry"."number"
    from "audit_seals" as "seal"
    inner join "audit_entries" as "entry" on "entry"."scope" = "seal"."scope"
    and "entry"."number" >= "seal"."first_number"
    and "entry"."number" <= "seal"."last_number"
    where "seal"."dropped_at" >= $1
    limit $2);

-- outbox.add (emails of the demo, which are public)
insert into "demo_outbox" ("id", "recipient", "subject", "body", "html", "sent_at")
  values ($1, $2, $3, $4, $5, $6);

-- outbox.findHtml (emails of the demo, which are public)
select "html"
  from "demo_outbox"
  where "id" = $1;

-- outbox.list (emails of the demo, which are public)
select "id", "recipient", "subject", "body", "sent_at" as "sentAt"
  from "demo_outbox"
  order by "sent_at" desc, "id"
  limit $1;

-- demo.state (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "value"
  from "meta"
  where "key" = $1;
select 'advertiser' as "what"
  from "advertisers"
  union all select 'candidate' as "what"
  from "candidates"
  union all select 'agent' as "what"
  from "agents"
  union all select 'client' as "what"
  from "oauth_clients"
  limit $1;

-- demo.claim (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "meta" ("key", "value")
  values ($1, $2)
  on conflict ("key") do nothing;
select "value"
  from "meta"
  where "key" = $1;
update "meta"
  set "value" = $1
  where "key" = $2
  and "value" = $3;

-- demo.seize (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "meta" ("key", "value")
  values ($1, $2)
  on conflict ("key") do update
  set "value" = $3;

-- demo.unmark (the demo world: it fills and empties whole databases, and refuses those that are not its own)
delete from "meta"
  where "key" = $1;

-- demo.addBoard (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "candidates" ("id", "email", "email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8);
insert into "memberships" ("advertiser_id", "candidate_id", "role", "created_at")
  values ($1, $2, $3, $4);
insert into "operators" ("candidate_id", "role", "created_at")
  values ($1, $2, $3);
insert into "screens" ("status", "created_at", "updated_at", "advertiser_id", "id", "name", "questions")
  values ($1, $2, $3, $4, $5, $6, $7);
insert into "job_ads" ("status", "created_at", "updated_at", "id", "title", "location", "description", "reference", "advertiser_id", "screen_id", "search_text")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- demo.listRedirectUris (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "client_id" as "clientId", "uri"
  from "oauth_redirect_uris";

-- demo.keepHooks (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms"
  from "webhook_endpoints";

-- demo.addRedirectUri (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "oauth_redirect_uris" ("client_id", "uri") select "id", $1 as "uri"
  from "oauth_clients"
  where "id" = $2
  on conflict ("client_id", "uri") do nothing;

-- demo.finish (the demo world: it fills and empties whole databases, and refuses those that are not its own)
delete from "deliveries";
update "memberships"
  set "told_up_to" = (select coalesce(max("applications"."id"), 0) as "newest"
    from "applications"
    where "applications"."advertiser_id" = "memberships"."advertiser_id");
update "meta"
  set "value" = $1
  where "key" = $2;

-- demo.clear (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "blob"
  from "application_files"
  union select "blob"
  from "resumes"
  union select "blob"
  from "loose_blobs";
delete from "rate_counts";
delete from "tombstones";
delete from "webhook_attempts";
delete from "webhook_hours";
delete from "webhook_lanes";
delete from "webhook_endpoints";
delete from "events";
delete from "client_events";
delete from "client_ledger";
delete from "sent_forms";
delete from "api_call_days";
delete from "application_days";
delete from "invitations";
delete from "operator_invitations";
delete from "operators";
delete from "task_runs";
delete from "memberships";
delete from "agent_invitations";
delete from "agent_call_days";
delete from "agent_members";
delete from "deliveries";
delete from "erasures";
delete from "application_holds";
delete from "application_history";
delete from "application_reads";
delete from "list_reads";
delete from "application_counts";
delete from "application_terms";
delete from "own_applications";
delete from "intake_applications";
delete from "job_ads";
delete from "screens";
delete from "application_pieces";
delete from "application_screens";
delete from "application_files";
delete from "applications";
delete from "disclosures";
delete from "prefilled_applications";
delete from "released_resumes";
delete from "oauth_tokens";
delete from "oauth_codes";
delete from "grants";
delete from "sessions";
delete from "totp_factors";
delete from "passkeys";
delete from "recovery_codes";
delete from "account_links";
delete from "sign_in_failures";
delete from "mail_counts";
delete from "demo_outbox";
delete from "loose_blobs";
delete from "import_refusals";
delete from "imports";
delete from "leases";
delete from "resumes";
delete from "candidates";
delete from "intake_keys";
delete from "client_changes";
delete from "client_logos";
delete from "advertiser_logos";
delete from "oauth_client_advertisers";
delete from "oauth_redirect_uris";
delete from "oauth_client_secrets";
delete from "oauth_clients";
delete from "agent_authorisations";
delete from "agents";
delete from "sws_credentials";
delete from "advertiser_ledger";
delete from "advertisers";
alter sequence "application_ids" restart;
alter sequence "job_ad_ids" restart;
alter sequence "screen_ids" restart;
