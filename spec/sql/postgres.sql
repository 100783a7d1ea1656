-- advertisers.add (the operator's own look-up or list)
insert into "advertisers" ("id", "name", "status", "created_at", "time_zone")
  values ((select coalesce(max(id) + 1, $1)
      from advertisers), $2, $3, $4, $5)
  on conflict ("id") do nothing
  returning "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons";
insert into "advertiser_ledger" ("advertiser_id", "last_submitted_at", "version")
  values ($1, $2, $3);
insert into "advertisers" ("id", "name", "status", "created_at", "time_zone")
  values ($1, $2, $3, $4, $5)
  on conflict ("id") do nothing
  returning "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons";

-- advertisers.list (the operator's own look-up or list)
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  order by "id";

-- advertisers.find
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = $1;

-- advertisers.setRequiresFactor
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = $1 for no key update;
update "advertisers"
  set "requires_factor" = $1
  where "id" = $2;

-- advertisers.telling
select "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = $1;

-- advertisers.setTelling
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = $1 for no key update;
update "advertisers"
  set "candidate_emails" = $1
  where "id" = $2;
update "advertisers"
  set "shows_reasons" = $1
  where "id" = $2;

-- privacyNotices.list
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "version", "url", "content", "created_at" as "createdAt"
  from "privacy_notices"
  where "advertiser_id" = $1
  order by "version" desc
  limit $2;
insert into "privacy_notices" ("advertiser_id", "version", "url", "content", "created_at")
  values ($1, $2, $3, $4, $5);

-- privacyNotices.find
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "version", "url", "content", "created_at" as "createdAt"
  from "privacy_notices"
  where "advertiser_id" = $1
  order by "version" desc
  limit $2;
insert into "privacy_notices" ("advertiser_id", "version", "url", "content", "created_at")
  values ($1, $2, $3, $4, $5);
select "notice"."version", "notice"."url", "notice"."content", "notice"."created_at" as "createdAt", "advertiser"."name" as "advertiserName"
  from "privacy_notices" as "notice"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "notice"."advertiser_id"
  where "notice"."advertiser_id" = $1
  and "notice"."version" = $2;

-- privacyNotices.add
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "version", "url", "content", "created_at" as "createdAt"
  from "privacy_notices"
  where "advertiser_id" = $1
  order by "version" desc
  limit $2;
insert into "privacy_notices" ("advertiser_id", "version", "url", "content", "created_at")
  values ($1, $2, $3, $4, $5);

-- advertisers.setTimeZone (the operator's own look-up or list)
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = $1 for no key update;
update "advertisers"
  set "time_zone" = $1
  where "id" = $2;

-- advertisers.setAnswerDays
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = $1 for no key update;
update "advertisers"
  set "answer_days" = $1
  where "id" = $2;

-- advertisers.setKeepMonths
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = $1 for no key update;
update "advertisers"
  set "keep_months" = $1
  where "id" = $2;

-- advertisers.setStatus
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
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
select "credential"."id" as "credentialId", "advertiser"."id" as "advertiserId", "advertiser"."status" as "advertiserStatus", "credential"."expires_at" as "expiresAt", "credential"."revoked_at" as "revokedAt", "credential"."last_used_at" as "lastUsedAt", "credential"."manages_webhooks" as "managesWebhooks", "ledger"."version", "ledger"."event_number" as "eventNumber", "credential"."hash" as "key"
  from "sws_credentials" as "credential"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "credential"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "credential"."advertiser_id"
  where "credential"."hash" = any($1);

-- credentials.advertiserOf (the operator's own look-up or list)
select "advertiser_id"
  from "sws_credentials"
  where "id" = $1;

-- credentials.add
insert into "sws_credentials" ("id", "advertiser_id", "hash", "hint", "label", "created_at", "expires_at", "manages_webhooks")
  values ($1, $2, $3, $4, $5, $6, $7, $8);

-- credentials.list
select "id", "hint", "label", "created_at" as "createdAt", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "last_used_at" as "lastUsedAt", "manages_webhooks" as "managesWebhooks"
  from "sws_credentials"
  where "advertiser_id" = $1
  order by "created_at", "id";

-- credentials.revoke
update "sws_credentials"
  set "revoked_at" = $1
  where "advertiser_id" = $2
  and "id" = $3
  and "revoked_at" is null
  returning "id", "hint", "label", "created_at" as "createdAt", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "last_used_at" as "lastUsedAt", "manages_webhooks" as "managesWebhooks";
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
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values ($1, $2, $3, $4, $5, $6, $7, $8);
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

-- applications.whenDurable


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
  and "type" = $7;

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
  and "type" = $7;
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

-- progress.activities
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
      limit $4) as "resumes"
    union select *
    from (select distinct "blob", "sha256", "size"
      from "draft_files"
      where "blob" > $5
      order by "blob"
      limit $6) as "draft_files") as "file"
  order by "blob"
  limit $7;

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
select "agent"."id", "agent"."name", "authorisation"."authorised_at" as "authorisedAt", "authorisation"."progress_granted_at" as "progressGrantedAt"
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

-- adVersions.keepNext
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = $1
  and "ad"."hold" is null
  and ("ad"."status" = $2 or "newest"."version" is null)
  and "ad"."id" > $3
  order by "ad"."id"
  limit $4;
update "ad_versions"
  set "replaced_at" = $1
  where "advertiser_id" = $2
  and "job_ad_id" = $3
  and "version" = $4;
insert into "ad_versions" ("advertiser_id", "job_ad_id", "version", "content", "hash", "created_at")
  values ($1, $2, $3, $4, $5, $6);

-- adVersions.list
select "job_ad_id" as "jobAdId", "version", "created_at" as "createdAt", "replaced_at" as "replacedAt", "content"
  from "ad_versions"
  where "advertiser_id" = $1
  and ("job_ad_id", "version") > ($2, $3)
  order by "job_ad_id", "version"
  limit $4;

-- reports.add (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);

-- reports.find (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "report"."id", "report"."job_ad_id" as "jobAdId", "report"."reason", "report"."details", "report"."email", "report"."reported_at" as "reportedAt", "report"."outcome", "report"."last_at" as "lastAt", "ad"."title", "advertiser"."name" as "advertiserName"
  from "job_reports" as "report"
  inner join "job_ads" as "ad" on "ad"."id" = "report"."job_ad_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "report"."advertiser_id"
  where "report"."id" = $1;

-- reports.open (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "report"."id", "report"."job_ad_id" as "jobAdId", "report"."reason", "report"."details", "report"."email", "report"."reported_at" as "reportedAt", "report"."outcome", "report"."last_at" as "lastAt"
  from "job_reports" as "report"
  where report.outcome is null
  order by "report"."reported_at"
  limit $1;
select "ad"."id", "ad"."advertiser_id", "ad"."title", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "advertiser"."name"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  where "ad"."id" in ($1);

-- reports.onHold (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "ad"."id", "ad"."advertiser_id", "ad"."title", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "advertiser"."name"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  where ad.hold is not null
  and "ad"."hold" = $1
  order by "ad"."id" asc
  limit $2;
select "ad"."id", "ad"."advertiser_id", "ad"."title", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "advertiser"."name"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  where ad.hold is not null
  and "ad"."hold" = $1
  order by "ad"."id" desc
  limit $2;

-- reports.ad (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "ad"."id", "ad"."advertiser_id", "ad"."title", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "advertiser"."name", "ad"."location", "ad"."description", "ad"."status", "ad"."updated_at" as "updatedAt"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  where "ad"."id" = $1;
select "report"."id", "report"."job_ad_id" as "jobAdId", "report"."reason", "report"."details", "report"."email", "report"."reported_at" as "reportedAt", "report"."outcome", "report"."last_at" as "lastAt"
  from "job_reports" as "report"
  where "report"."job_ad_id" = $1
  order by "report"."reported_at" desc
  limit $2;
select "act", "reason", "actor", "decided_at" as "at"
  from "ad_decisions"
  where "job_ad_id" = $1
  order by "number" desc
  limit $2;

-- reports.counts (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select count(*) as "count"
  from "job_reports"
  where outcome is null;
select count(*) as "count"
  from "job_ads"
  where hold is not null
  and "hold" = $1;

-- reports.hold (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = $1
  and "ad"."hold" is null
  and ("ad"."status" = $2 or "newest"."version" is null)
  and "ad"."id" > $3
  and "ad"."id" = $4
  order by "ad"."id"
  limit $5;
update "job_ads"
  set "hold" = $1, "hold_reason" = $2, "held_at" = $3
  where "advertiser_id" = $4
  and "id" = $5;
update "job_reports"
  set "outcome" = $1, "last_at" = $2
  where "job_ad_id" = $3
  and "outcome" is null
  returning "id", "email";
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7), ($8, $9, $10, $11, $12, $13, $14), ($15, $16, $17, $18, $19, $20, $21), ($22, $23, $24, $25, $26, $27, $28), ($29, $30, $31, $32, $33, $34, $35), ($36, $37, $38, $39, $40, $41, $42), ($43, $44, $45, $46, $47, $48, $49);
insert into "ad_decisions" ("job_ad_id", "number", "act", "reason", "actor", "decided_at")
  values ($1, (select coalesce(max(number), 0) + 1
      from ad_decisions
      where job_ad_id = $2), $3, $4, $5, $6);

-- reports.release (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = $1
  and "ad"."hold" is null
  and ("ad"."status" = $2 or "newest"."version" is null)
  and "ad"."id" > $3
  and "ad"."id" = $4
  order by "ad"."id"
  limit $5;
update "job_ads"
  set "hold" = $1, "hold_reason" = $2, "held_at" = $3
  where "advertiser_id" = $4
  and "id" = $5;
update "job_reports"
  set "outcome" = $1, "last_at" = $2
  where "job_ad_id" = $3
  and "outcome" is null
  returning "id", "email";
insert into "ad_decisions" ("job_ad_id", "number", "act", "reason", "actor", "decided_at")
  values ($1, (select coalesce(max(number), 0) + 1
      from ad_decisions
      where job_ad_id = $2), $3, $4, $5, $6);
update "job_ads"
  set "hold" = $1, "hold_reason" = $2, "held_at" = $3, "approved_at" = $4
  where "advertiser_id" = $5
  and "id" = $6;

-- reports.dismiss (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
update "job_reports"
  set "outcome" = $1, "last_at" = $2
  where "job_ad_id" = $3
  and "outcome" is null
  and "id" in ($4)
  returning "id", "email";
insert into "ad_decisions" ("job_ad_id", "number", "act", "reason", "actor", "decided_at")
  values ($1, (select coalesce(max(number), 0) + 1
      from ad_decisions
      where job_ad_id = $2), $3, $4, $5, $6);

-- reports.forgetAddress (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = $1;
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
update "job_reports"
  set "email" = $1
  where "email" in ($2, $3, $4, $5, $6, $7, $8, $9, $10)
  returning "id";
insert into "tombstones" ("id", "content")
  values ($1, $2), ($3, $4), ($5, $6), ($7, $8), ($9, $10), ($11, $12), ($13, $14), ($15, $16), ($17, $18);

-- jobAds.add
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select nextval('job_ad_ids') as id, pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as server;
select "name"
  from "advertisers"
  where "id" = $1;
insert into "job_ads" ("advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "search_text", "details", "workplace", "employment_types", "has_pay", "status", "created_at", "updated_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details";
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = $1
  and "ad"."hold" is null
  and ("ad"."status" = $2 or "newest"."version" is null)
  and "ad"."id" > $3
  and "ad"."id" = $4
  order by "ad"."id"
  limit $5;
insert into "ad_versions" ("advertiser_id", "job_ad_id", "version", "content", "hash", "created_at")
  values ($1, $2, $3, $4, $5, $6);

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
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select nextval('job_ad_ids') as id, pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as server;
select "name"
  from "advertisers"
  where "id" = $1;
insert into "job_ads" ("advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "search_text", "details", "workplace", "employment_types", "has_pay", "status", "created_at", "updated_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details";
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = $1
  and "ad"."hold" is null
  and ("ad"."status" = $2 or "newest"."version" is null)
  and "ad"."id" > $3
  and "ad"."id" = $4
  order by "ad"."id"
  limit $5;
insert into "ad_versions" ("advertiser_id", "job_ad_id", "version", "content", "hash", "created_at")
  values ($1, $2, $3, $4, $5, $6);
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
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select nextval('screen_ids') as id, pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as server;
insert into "screens" ("advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at")
  values ($1, $2, $3, $4, $5, $6, $7)
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";
update "intake_keys"
  set "content_hash" = $1, "answer" = $2, "expires_at" = $3, "held_until" = $4
  where "client_id" = $5
  and "key" = $6;

-- jobAds.find
select "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details"
  from "job_ads"
  where "advertiser_id" = $1
  and "id" = $2;

-- jobAds.list
select "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details"
  from "job_ads"
  where "advertiser_id" = $1
  and "id" > $2
  order by "id"
  limit $3;
select "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details"
  from "job_ads"
  where "advertiser_id" = $1
  and "reference" = $2
  and "id" > $3
  order by "id"
  limit $4;

-- postingLists.jobAds
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."hold" as "hold", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = $1
  and "ad"."id" < $2
  order by "ad"."id" desc
  limit $3;
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."hold" as "hold", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = $1
  and "ad"."id" < $2
  and ("ad"."status" <> $3
    and "ad"."hold" is null
    and ("ad"."closing_date" is null or "ad"."closing_date" >= $4))
  order by "ad"."id" desc
  limit $5;
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."hold" as "hold", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = $1
  and "ad"."id" < $2
  and ("ad"."status" = $3 or "ad"."hold" is not null or "ad"."closing_date" < $4)
  order by "ad"."id" desc
  limit $5;
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."hold" as "hold", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = $1
  and "ad"."id" > $2
  order by "ad"."id" asc
  limit $3;

-- postingLists.adsOfAestDays
select "ad"."id", "ad"."title", "ad"."closing_date" as "closingDate"
  from "job_ads" as "ad"
  inner join "meta" on "meta"."key" = 'aest-ads-until'
  where "ad"."advertiser_id" = $1
  and ("ad"."status" <> $2
    and "ad"."hold" is null
    and ("ad"."closing_date" is null or "ad"."closing_date" >= $3))
  and "ad"."closing_date" is not null
  and ad.updated_at <= cast(meta.value as bigint)
  order by "ad"."closing_date", "ad"."id"
  limit $4;

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
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = $1
  and "ad"."hold" is null
  and ("ad"."status" = $2 or "newest"."version" is null)
  and "ad"."id" > $3
  and "ad"."id" = $4
  order by "ad"."id"
  limit $5;
select "name"
  from "advertisers"
  where "id" = $1;
update "job_ads"
  set "title" = $1, "location" = $2, "description" = $3, "reference" = $4, "screen_id" = $5, "closing_date" = $6, "search_text" = $7, "details" = $8, "workplace" = $9, "employment_types" = $10, "has_pay" = $11, "updated_at" = case when updated_at < $12 then $13 else updated_at + 1 end
  where "advertiser_id" = $14
  and "id" = $15
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details";
update "ad_versions"
  set "replaced_at" = $1
  where "advertiser_id" = $2
  and "job_ad_id" = $3
  and "version" = $4;
insert into "ad_versions" ("advertiser_id", "job_ad_id", "version", "content", "hash", "created_at")
  values ($1, $2, $3, $4, $5, $6);
update "job_ads"
  set "title" = $1, "location" = $2, "description" = $3, "reference" = $4, "screen_id" = $5, "closing_date" = $6, "search_text" = $7, "details" = $8, "workplace" = $9, "employment_types" = $10, "has_pay" = $11, "updated_at" = case when updated_at < $12 then $13 else updated_at + 1 end
  where "advertiser_id" = $14
  and "id" = $15
  and "updated_at" = $16
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details";

-- jobAds.setStatus
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = $1
  and "ad"."hold" is null
  and ("ad"."status" = $2 or "newest"."version" is null)
  and "ad"."id" > $3
  and "ad"."id" = $4
  order by "ad"."id"
  limit $5;
update "job_ads"
  set "status" = $1, "updated_at" = case when updated_at < $2 then $3 else updated_at + 1 end
  where "advertiser_id" = $4
  and "id" = $5
  and "status" != $6
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details";

-- screens.add
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
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
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = $1
  and "ad"."hold" is null
  and ("ad"."status" = $2 or "newest"."version" is null)
  and "ad"."id" > $3
  and "ad"."screen_id" = $4
  order by "ad"."id"
  limit $5;
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
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = $1
  and "ad"."hold" is null
  and ("ad"."status" = $2 or "newest"."version" is null)
  and "ad"."id" > $3
  and "ad"."screen_id" = $4
  order by "ad"."id"
  limit $5;
update "screens"
  set "status" = $1, "updated_at" = case when updated_at < $2 then $3 else updated_at + 1 end
  where "advertiser_id" = $4
  and "id" = $5
  and "status" != $6
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";

-- jobBoard.find (what is advertised is for everybody)
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone", "screen"."name" as "screen_name", "screen"."questions" as "screen_questions", "advertiser"."retention_choice" as "retentionChoice", "advertiser"."keep_months" as "keepMonths", "notice"."version" as "notice_version", "notice"."url" as "notice_url"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = $1 left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "privacy_notices" as "notice" on "notice"."advertiser_id" = "ad"."advertiser_id"
  and "notice"."version" = (select max("newest"."version") as "version"
    from "privacy_notices" as "newest"
    where "newest"."advertiser_id" = "ad"."advertiser_id")
  and ("notice"."url" is not null or "notice"."content" is not null)
  where ad.hold is null
  and "ad"."id" = $2;

-- jobBoard.companies (what is advertised is for everybody)
with recursive zone (name) as ( select min(time_zone)
    from advertisers
    where time_zone > ''
    union all select (select min(time_zone)
      from advertisers
      where time_zone > zone.name)
    from zone
    where zone.name is not null ) select name
  from zone
  where name is not null;
select "name", "logo_hash" as "logoHash", count(*) as "count"
  from (select "ad"."id", "advertiser"."id" as "advertiser_id", "advertiser"."name", "advertiser"."logo_hash"
    from "job_ads" as "ad"
    inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
    and "advertiser"."status" = $1
    where ad.hold is null
    and ad.status = 'open'
    and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(cast($2 as jsonb) ->> advertiser.time_zone, $3))
    order by "ad"."id" desc
    limit $4) as "newest" group by "advertiser_id", "name", "logo_hash"
  order by max("newest"."id") desc
  limit $5;

-- jobBoard.countOpen (what is advertised is for everybody)
with recursive zone (name) as ( select min(time_zone)
    from advertisers
    where time_zone > ''
    union all select (select min(time_zone)
      from advertisers
      where time_zone > zone.name)
    from zone
    where zone.name is not null ) select name
  from zone
  where name is not null;
select count(*) as "count"
  from (select "ad"."id"
    from "job_ads" as "ad"
    inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
    and "advertiser"."status" = $1
    where ad.hold is null
    and ad.status = 'open'
    and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(cast($2 as jsonb) ->> advertiser.time_zone, $3))
    limit $4) as "found";

-- jobBoard.listOpen (what is advertised is for everybody)
with recursive zone (name) as ( select min(time_zone)
    from advertisers
    where time_zone > ''
    union all select (select min(time_zone)
      from advertisers
      where time_zone > zone.name)
    from zone
    where zone.name is not null ) select name
  from zone
  where name is not null;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = $1
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(cast($2 as jsonb) ->> advertiser.time_zone, $3))
  and "ad"."id" < $4
  order by "ad"."id" desc
  limit $5;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = $1
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(cast($2 as jsonb) ->> advertiser.time_zone, $3))
  and ad.search_text like $4 escape '!'
  and ad.search_text like $5 escape '!'
  and "ad"."id" < $6
  order by "ad"."id" desc
  limit $7;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = $1
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(cast($2 as jsonb) ->> advertiser.time_zone, $3))
  and ad.workplace = 'remote'
  and "ad"."id" < $4
  order by "ad"."id" desc
  limit $5;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = $1
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(cast($2 as jsonb) ->> advertiser.time_zone, $3))
  and ad.employment_types like $4
  and "ad"."id" < $5
  order by "ad"."id" desc
  limit $6;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = $1
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(cast($2 as jsonb) ->> advertiser.time_zone, $3))
  and ad.has_pay = 1
  and "ad"."id" < $4
  order by "ad"."id" desc
  limit $5;

-- progress.open
select "version"
  from "advertiser_ledger"
  where "advertiser_id" = $1 for update;
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "kind" = $3 group by "application_id";
update "applications"
  set "status" = $1
  where "advertiser_id" = $2
  and "id" in ($3);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values ($1, $2, $3, $4), ($5, $6, $7, $8)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "counted_at", "kind", "former", "status", "actor_id", "label", "reason")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8, $9, $10, $11, $12);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end + $3
  where "advertiser_id" = $4
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and ("held_until" is not null or "delivery_id" is not null);

-- progress.setStatus
select "version"
  from "advertiser_ledger"
  where "advertiser_id" = $1 for update;
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "position" >= $3;
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "kind" = $3 group by "application_id";
update "applications"
  set "status" = $1
  where "advertiser_id" = $2
  and "id" in ($3);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values ($1, $2, $3, $4), ($5, $6, $7, $8)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "counted_at", "kind", "former", "status", "actor_id", "label", "reason")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8, $9, $10, $11, $12);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end + $3
  where "advertiser_id" = $4
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and ("held_until" is not null or "delivery_id" is not null);
select "candidate_emails"
  from "advertisers"
  where "id" = $1;
select "application_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "status" = $2
  and "decided_at" > $3
  limit $4;
select "candidate_id" as "candidateId", "application_id" as "applicationId"
  from "own_applications"
  where "advertiser_id" = $1
  and "application_id" in ($2);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
insert into "recent_decisions" ("advertiser_id", "application_id", "former", "status", "decided_at", "held_until", "delivery_id")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("advertiser_id", "application_id") do update
  set "former" = "excluded"."former", "status" = "excluded"."status", "decided_at" = "excluded"."decided_at", "held_until" = "excluded"."held_until", "delivery_id" = "excluded"."delivery_id";
insert into "application_history" ("advertiser_id", "position", "at", "actor_id", "application_id", "kind", "text")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8);

-- progress.report
select "version"
  from "advertiser_ledger"
  where "advertiser_id" = $1 for update;
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "kind" = $3 group by "application_id";
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "position" >= $3;
update "applications"
  set "status" = $1
  where "advertiser_id" = $2
  and "id" in ($3);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values ($1, $2, $3, $4), ($5, $6, $7, $8)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "former", "status", "source", "source_id", "label", "reason")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8, $9, $10, $11, $12), ($13, (select coalesce(max("earlier"."position"), 0) + 2 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $14
      and "earlier"."application_id" = $15), $16, $17, $18, $19, $20, $21, $22, $23, $24);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end + $3
  where "advertiser_id" = $4
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and ("held_until" is not null or "delivery_id" is not null);
delete from "deliveries"
  where "id" in ($1)
  and "state" = $2
  and "attempts" = $3;
update "recent_decisions"
  set "held_until" = $1, "delivery_id" = $2
  where "advertiser_id" = $3
  and "application_id" in ($4);
select "candidate_emails"
  from "advertisers"
  where "id" = $1;
select "application_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "status" = $2
  and "decided_at" > $3
  limit $4;
select "candidate_id" as "candidateId", "application_id" as "applicationId"
  from "own_applications"
  where "advertiser_id" = $1
  and "application_id" in ($2);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
insert into "recent_decisions" ("advertiser_id", "application_id", "former", "status", "decided_at", "held_until", "delivery_id")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("advertiser_id", "application_id") do update
  set "former" = "excluded"."former", "status" = "excluded"."status", "decided_at" = "excluded"."decided_at", "held_until" = "excluded"."held_until", "delivery_id" = "excluded"."delivery_id";

-- progress.held
select "version"
  from "advertiser_ledger"
  where "advertiser_id" = $1 for update;
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "kind" = $3 group by "application_id";
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "position" >= $3;
update "applications"
  set "status" = $1
  where "advertiser_id" = $2
  and "id" in ($3);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values ($1, $2, $3, $4), ($5, $6, $7, $8)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "former", "status", "source", "source_id", "label", "reason")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8, $9, $10, $11, $12), ($13, (select coalesce(max("earlier"."position"), 0) + 2 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $14
      and "earlier"."application_id" = $15), $16, $17, $18, $19, $20, $21, $22, $23, $24);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end + $3
  where "advertiser_id" = $4
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and ("held_until" is not null or "delivery_id" is not null);
delete from "deliveries"
  where "id" in ($1)
  and "state" = $2
  and "attempts" = $3;
update "recent_decisions"
  set "held_until" = $1, "delivery_id" = $2
  where "advertiser_id" = $3
  and "application_id" in ($4);
select "candidate_emails"
  from "advertisers"
  where "id" = $1;
select "application_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "status" = $2
  and "decided_at" > $3
  limit $4;
select "candidate_id" as "candidateId", "application_id" as "applicationId"
  from "own_applications"
  where "advertiser_id" = $1
  and "application_id" in ($2);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
insert into "recent_decisions" ("advertiser_id", "application_id", "former", "status", "decided_at", "held_until", "delivery_id")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("advertiser_id", "application_id") do update
  set "former" = "excluded"."former", "status" = "excluded"."status", "decided_at" = "excluded"."decided_at", "held_until" = "excluded"."held_until", "delivery_id" = "excluded"."delivery_id";
select "status", count(*) as "count", min("held_until") as "from", max("held_until") as "until"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "held_until" > $2 group by "status"
  order by "status";

-- progress.takeBack
select "version"
  from "advertiser_ledger"
  where "advertiser_id" = $1 for update;
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "kind" = $3 group by "application_id";
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "position" >= $3;
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "former", "status", "source", "source_id", "label", "reason")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8, $9, $10, $11, $12), ($13, (select coalesce(max("earlier"."position"), 0) + 2 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $14
      and "earlier"."application_id" = $15), $16, $17, $18, $19, $20, $21, $22, $23, $24);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end + $3
  where "advertiser_id" = $4
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and ("held_until" is not null or "delivery_id" is not null);
delete from "deliveries"
  where "id" in ($1)
  and "state" = $2
  and "attempts" = $3;
update "recent_decisions"
  set "held_until" = $1, "delivery_id" = $2
  where "advertiser_id" = $3
  and "application_id" in ($4);
select "candidate_emails"
  from "advertisers"
  where "id" = $1;
select "application_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "status" = $2
  and "decided_at" > $3
  limit $4;
select "candidate_id" as "candidateId", "application_id" as "applicationId"
  from "own_applications"
  where "advertiser_id" = $1
  and "application_id" in ($2);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
insert into "recent_decisions" ("advertiser_id", "application_id", "former", "status", "decided_at", "held_until", "delivery_id")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("advertiser_id", "application_id") do update
  set "former" = "excluded"."former", "status" = "excluded"."status", "decided_at" = "excluded"."decided_at", "held_until" = "excluded"."held_until", "delivery_id" = "excluded"."delivery_id";
select "application_id", "former", "held_until", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = $1
  and "held_until" > $2
  and "status" = $3
  and "held_until" <= $4
  order by "decided_at"
  limit $5;
delete from "deliveries"
  where "id" in (select "id"
    from "deliveries"
    where "id" in ($1)
    and "state" = $2
    and "attempts" = $3
    and due_at + 0 > $4 for update skip locked);
select "id"
  from "deliveries"
  where "id" in ($1);
delete from "recent_decisions"
  where "advertiser_id" = $1
  and "application_id" in ($2);
update "applications"
  set "status" = $1
  where "advertiser_id" = $2
  and "id" in ($3);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values ($1, $2, $3, $4), ($5, $6, $7, $8)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "counted_at", "kind", "former", "status", "actor_id", "label", "reason")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8, $9, $10, $11, $12);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);

-- progress.addNote
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "position" >= $3;
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "actor_id", "text")
  values ($1, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = $2
      and "earlier"."application_id" = $3), $4, $5, $6, $7, $8);

-- progress.history
select "entry"."at", "entry"."kind", "entry"."actor_id" as "actorId", "entry"."former", "entry"."status", "entry"."text", "entry"."source", "entry"."label", "entry"."reason", coalesce("credential"."label", "agent"."name") as "sourceName", nullif(trim(actor.first_name || ' ' || actor.last_name), '') as "actorName"
  from "application_history" as "entry" left join "candidates" as "actor" on "actor"."id" = "entry"."actor_id" left join "sws_credentials" as "credential" on "credential"."id" = "entry"."source_id"
  and "credential"."advertiser_id" = "entry"."advertiser_id" left join "oauth_clients" as "client" on "client"."id" = "entry"."source_id" left join "agents" as "agent" on "agent"."id" = "client"."agent_id"
  where "entry"."advertiser_id" = $1
  and "entry"."application_id" = $2
  order by "entry"."position" desc
  limit $3;

-- progress.isFull
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "position" >= $3;
select "application_id"
  from "application_history"
  where "advertiser_id" = $1
  and "application_id" in ($2)
  and "kind" in ($3, $4)
  and "source" is null group by "application_id" having count(*) >= $5;

-- progress.whyUntold
select "candidate"."email_confirmed_at" as "confirmedAt", "candidate"."mail_refused_at" as "refusedAt", "candidate"."muted"
  from "own_applications" as "own"
  inner join "candidates" as "candidate" on "candidate"."id" = "own"."candidate_id"
  where "own"."advertiser_id" = $1
  and "own"."application_id" = $2;

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
  set "due_at" = $1, "attempts" = attempts + 1, "holder" = $2
  where "id" in (select "id"
    from "deliveries"
    where "state" = $3
    and "due_at" <= $4
    and "id" = $5
    and "give_up_at" >= $6 for update skip locked)
  returning "id", "kind", "content", "attempts", "created_at", "give_up_at", "due_at";

-- deliveries.stateOf (the outbox is worked off by processes, and the rows name no owner in a column)
select "state"
  from "deliveries"
  where "id" = $1;

-- deliveries.claim (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = $1, "attempts" = attempts + 1, "holder" = $2
  where "id" in (select "id"
    from "deliveries"
    where "state" = $3
    and "due_at" <= $4
    and ("give_up_at" >= $5 or "give_up_at" < $6)
    and "kind" in ($7)
    order by "due_at"
    limit $8 for update skip locked)
  returning "id", "kind", "content", "attempts", "created_at", "give_up_at", "due_at";
update "deliveries"
  set "due_at" = $1, "attempts" = attempts + 1, "holder" = $2
  where "id" in (select "id"
    from "deliveries"
    where "state" = $3
    and "due_at" > $4
    and ("give_up_at" >= $5 or "give_up_at" < $6)
    and "kind" in ($7)
    order by "due_at"
    limit $8 for update skip locked)
  returning "id", "kind", "content", "attempts", "created_at", "give_up_at", "due_at";

-- deliveries.release (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = $1, "attempts" = attempts - 1, "holder" = $2
  where "id" = $3
  and "state" = $4
  and "due_at" = $5;

-- deliveries.retry (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = $1, "fault" = $2, "holder" = $3
  where "id" = $4
  and "state" = $5
  and "due_at" = $6;

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

-- deliveries.gather (the outbox is worked off by processes, and the rows name no owner in a column)
delete from "deliveries"
  where "id" = $1
  and "state" = $2
  and "due_at" = $3;

-- deliveries.dropLate (the outbox is worked off by processes, and the rows name no owner in a column)
delete from "deliveries"
  where "id" in (select "id"
    from "deliveries"
    where "state" = $1
    and ("due_at" <= $2 or "due_at" > $3)
    and "give_up_at" < $4
    and "kind" in ($5)
    order by "due_at"
    limit $6 for update skip locked);

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
  set "state" = $1, "due_at" = $2, "give_up_at" = case when state = 'waiting'
  and (kind in ($3) or give_up_at > $4) then give_up_at else $5 end, "attempts" = $6, "ended_at" = $7, "fault" = $8
  where "content" != $9
  and "id" in ($10)
  and "state" in ($11, $12, $13)
  and ("state" != $14 or "kind" not in ($15) or "give_up_at" >= $16);
update "deliveries"
  set "state" = $1, "due_at" = $2, "give_up_at" = case when state = 'waiting'
  and (kind in ($3) or give_up_at > $4) then give_up_at else $5 end, "attempts" = $6, "ended_at" = $7, "fault" = $8
  where "content" != $9
  and "state" = $10;

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
select "own"."job_title" as "jobTitle", "own"."job_location" as "jobLocation", "own"."advertiser_name" as "advertiserName", "own"."submitted_at" as "submittedAt", "kept"."until" as "keptUntil", "screen"."application_id" as "answeredId", "application"."status", "application"."erased_at"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "own"."advertiser_id"
  and "kept"."application_id" = "own"."application_id"
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
select "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName"
  from "oauth_clients" as "client" left join "advertisers" as "advertiser" on "advertiser"."id" = $1
  where "client"."id" = $2;

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
select "application"."id", "ad"."title" as "jobTitle"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = $1
  and "application"."id" in ($2)
  order by "application"."id" desc;

-- notices.findFailingWebhook
select "advertiser"."name", "advertiser"."status", "membership"."visited_at" as "visitedAt", "next_retention_months" as "months", "retention_changes_at" as "changesAt"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = $1
  and "membership"."candidate_id" = $2;
select "url", "failing_since", "stop_reason" as "reason", "key_lost_at"
  from "webhook_endpoints"
  where "id" = $1
  and "advertiser_id" = $2;
select count(*) as "events", max("ended_at") as "lastAt"
  from "webhook_lanes"
  where "endpoint_id" = $1
  and "ended" = $2
  and "advertiser_id" = $3;

-- notices.findFailingAgentWebhook
select "agent"."name"
  from "agent_members" as "member"
  inner join "agents" as "agent" on "agent"."id" = "member"."agent_id"
  where "member"."agent_id" = $1
  and "member"."candidate_id" = $2
  and "member"."role" = $3;
select "url", "failing_since", "stop_reason" as "reason", "key_lost_at"
  from "webhook_endpoints"
  where "id" = $1
  and "agent_id" = $2;

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
delete from "untold_withdrawals"
  where "advertiser_id" = $1
  and "candidate_id" = $2;
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
  and ((select application.id
      from applications application
      where application.advertiser_id = membership.advertiser_id
      and application.id > membership.told_up_to
      and application.erased_at is null
      and application.status <> 'withdrawn'
      order by application.id desc
      limit 1) is not null or exists (select 1
      from untold_withdrawals untold
      where untold.advertiser_id = membership.advertiser_id
      and untold.candidate_id = membership.candidate_id))
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
select "advertiser"."id" as "advertiserId", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."status" as "status", "advertiser"."time_zone" as "timeZone", "membership"."role" as "role", "advertiser"."requires_factor" as "requiresFactor", "advertiser"."answer_days" as "answerDays"
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
select "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."last_name" as "lastName", "memberships"."role" as "role", "memberships"."created_at" as "since", (exists (select "candidate_id"
      from "totp_factors"
      where "totp_factors"."candidate_id" = "candidate"."id") or exists (select "candidate_id"
      from "passkeys"
      where "passkeys"."candidate_id" = "candidate"."id")) as "hasFactor"
  from "memberships"
  inner join "candidates" as "candidate" on "candidate"."id" = "memberships"."candidate_id"
  where "advertiser_id" = $1
  order by "memberships"."created_at", "candidate"."email";

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
  from "memberships"
  inner join "candidates" as "candidate" on "candidate"."id" = "memberships"."candidate_id"
  where "advertiser_id" = $1;
select "email"
  from "invitations"
  where "advertiser_id" = $1
  and "expires_at" > $2;
delete from "invitations"
  where "advertiser_id" = $1
  and "email" = $2;
insert into "invitations" ("advertiser_id", "hash", "id", "role", "created_at", "expires_at", "email")
  values ($1, $2, $3, $4, $5, $6, $7);

-- members.issueLink
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
select "invitations"."role" as "role", "invitations"."email" as "email", "candidate"."email_confirmed_at" as "confirmedAt", "advertiser_id" as "ownerId"
  from "invitations" left join "candidates" as "candidate" on "candidate"."email" = "invitations"."email"
  where "hash" = $1
  and "expires_at" > $2;
select "name"
  from "advertisers"
  where "id" = $1;

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
  returning "hash", "id", "email", "role", "created_at", "expires_at", "former_hash", "advertiser_id";
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
  returning "hash", "id", "email", "role", "created_at", "expires_at", "former_hash", "advertiser_id";
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
select "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."last_name" as "lastName", "operators"."role" as "role", "operators"."created_at" as "since"
  from "operators"
  inner join "candidates" as "candidate" on "candidate"."id" = "operators"."candidate_id"
  where true
  order by "operators"."created_at", "candidate"."email";

-- operators.listInvitations (the operator's own look-up or list)
select "id", "email", "role", "created_at" as "createdAt", "expires_at" as "expiresAt"
  from "operator_invitations"
  where true
  and "expires_at" > $1
  order by "created_at", "id";

-- operators.invite (the operator's own look-up or list)
select "candidate"."email"
  from "operators"
  inner join "candidates" as "candidate" on "candidate"."id" = "operators"."candidate_id"
  where true;
select "email"
  from "operator_invitations"
  where true
  and "expires_at" > $1;
delete from "operator_invitations"
  where true
  and "email" = $1;
insert into "operator_invitations" ("hash", "id", "role", "created_at", "expires_at", "email")
  values ($1, $2, $3, $4, $5, $6)
  on conflict ("email") do update
  set "hash" = $7, "id" = $8, "role" = $9, "created_at" = $10, "expires_at" = $11;

-- operators.findInvitation (the secret is what says who asks)
select "operator_invitations"."role" as "role", "operator_invitations"."email" as "email", "candidate"."email_confirmed_at" as "confirmedAt", 0 as "ownerId"
  from "operator_invitations" left join "candidates" as "candidate" on "candidate"."email" = "operator_invitations"."email"
  where "hash" = $1
  and "expires_at" > $2;

-- operators.join (the secret is what says who asks)
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
delete from "operator_invitations"
  where "hash" = $1
  and "expires_at" > $2
  and "email" = $3
  returning "hash", "id", "email", "role", "created_at", "expires_at";
select "candidate"."email"
  from "operators"
  inner join "candidates" as "candidate" on "candidate"."id" = "operators"."candidate_id"
  where true;
select "email"
  from "operator_invitations"
  where true
  and "expires_at" > $1;
delete from "operator_invitations"
  where true
  and "email" = $1;
insert into "operator_invitations" ("hash", "id", "role", "created_at", "expires_at", "email")
  values ($1, $2, $3, $4, $5, $6)
  on conflict ("email") do update
  set "hash" = $7, "id" = $8, "role" = $9, "created_at" = $10, "expires_at" = $11;
select "role"
  from "operators"
  where true
  and "candidate_id" = $1;
insert into "operators" ("candidate_id", "role", "created_at")
  values ($1, $2, $3)
  on conflict ("candidate_id") do nothing;
insert into "operators" ("candidate_id", "role", "created_at")
  values ($1, $2, $3)
  on conflict ("candidate_id") do update
  set "role" = $4;

-- operators.joinWithAccount (the secret is what says who asks)
select "candidate"."email"
  from "operators"
  inner join "candidates" as "candidate" on "candidate"."id" = "operators"."candidate_id"
  where true;
select "email"
  from "operator_invitations"
  where true
  and "expires_at" > $1;
delete from "operator_invitations"
  where true
  and "email" = $1;
insert into "operator_invitations" ("hash", "id", "role", "created_at", "expires_at", "email")
  values ($1, $2, $3, $4, $5, $6)
  on conflict ("email") do update
  set "hash" = $7, "id" = $8, "role" = $9, "created_at" = $10, "expires_at" = $11;
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
  where true
  and "candidate_id" = $1;
insert into "operators" ("candidate_id", "role", "created_at")
  values ($1, $2, $3)
  on conflict ("candidate_id") do update
  set "role" = $4;

-- operators.takeBack (the operator's own look-up or list)
delete from "operator_invitations"
  where true
  and "id" = $1
  returning "role";

-- operators.remove (the operator's own look-up or list)
select "candidate_id"
  from "operators"
  order by "candidate_id" for update;
delete from "operators"
  where true
  and "candidate_id" = $1
  returning "created_at", "role";
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
      and day >= $2), 0) as "calls", "advertiser"."unanswered", "ledger"."last_submitted_at" as "lastAt"
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
select "value"
  from "meta"
  where "key" = $1;
select distinct "application"."advertiser_id" as "advertiserId", "application"."id" as "applicationId", "application"."submitted_at" as "submittedAt", "application"."status", "hold"."application_id" as "heldId", "application"."email"
  from "advertisers" as "advertiser"
  inner join "application_terms" as "term" on "term"."advertiser_id" = "advertiser"."id"
  inner join "applications" as "application" on "application"."advertiser_id" = "term"."advertiser_id"
  and "application"."id" = "term"."application_id" left join "application_holds" as "hold" on "hold"."advertiser_id" = "application"."advertiser_id"
  and "hold"."application_id" = "application"."id"
  where "term"."term" in ($1, $2, $3, $4, $5, $6)
  and "application"."erased_at" is null
  order by "application"."id";
select count(*) as "reports"
  from "job_reports"
  where "email" in ($1, $2, $3, $4, $5, $6, $7, $8, $9);
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
select "advertiser"."id" as "advertiserId", "advertiser"."name", "advertiser"."status", "authorisation"."authorised_at" as "authorisedAt", "authorisation"."progress_granted_at" as "progressGrantedAt"
  from "agent_authorisations" as "authorisation"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "authorisation"."advertiser_id"
  where "authorisation"."agent_id" = $1
  order by "advertiser"."name", "advertiser"."id";

-- agents.advertisersOf
select "advertiser"."id" as "advertiserId", "advertiser"."name", "authorisation"."authorised_at" as "authorisedAt"
  from "agent_authorisations" as "authorisation"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "authorisation"."advertiser_id"
  where "authorisation"."agent_id" = $1
  and "authorisation"."advertiser_id" > $2
  order by "authorisation"."advertiser_id"
  limit $3;

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
select "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."last_name" as "lastName", "agent_members"."role" as "role", "agent_members"."created_at" as "since"
  from "agent_members"
  inner join "candidates" as "candidate" on "candidate"."id" = "agent_members"."candidate_id"
  where "agent_id" = $1
  order by "agent_members"."created_at", "candidate"."email";

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
  from "agent_members"
  inner join "candidates" as "candidate" on "candidate"."id" = "agent_members"."candidate_id"
  where "agent_id" = $1;
select "email"
  from "agent_invitations"
  where "agent_id" = $1
  and "expires_at" > $2;
delete from "agent_invitations"
  where "agent_id" = $1
  and "email" = $2;
insert into "agent_invitations" ("agent_id", "hash", "id", "role", "created_at", "expires_at", "email")
  values ($1, $2, $3, $4, $5, $6, $7);

-- agentMembers.issueLink
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
select "agent_invitations"."role" as "role", "agent_invitations"."email" as "email", "candidate"."email_confirmed_at" as "confirmedAt", "agent_id" as "ownerId"
  from "agent_invitations" left join "candidates" as "candidate" on "candidate"."email" = "agent_invitations"."email"
  where "hash" = $1
  and "expires_at" > $2;
select "name"
  from "agents"
  where "id" = $1;

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
  returning "hash", "id", "email", "role", "created_at", "expires_at", "former_hash", "agent_id";
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
  returning "hash", "id", "email", "role", "created_at", "expires_at", "former_hash", "agent_id";
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
  returning "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at";

-- endpoints.list
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "advertiser_id" = $1
  order by "created_at", "id";

-- endpoints.find
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "advertiser_id" = $1
  and "id" = $2
  order by "created_at", "id";

-- endpoints.findAny (the operator's own look-up or list)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "id" = $1
  order by "created_at", "id";

-- endpoints.listAll (the operator's own look-up or list)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  order by "created_at", "id";

-- endpoints.change
update "webhook_endpoints"
  set "description" = $1
  where "advertiser_id" = $2
  and "id" = $3;

-- endpoints.rotate
update "webhook_endpoints"
  set "generation" = "generation" + $1, "rotated_at" = $2, "overlap_until" = case when key_lost_at is null then cast($3 as bigint) end, "key_lost_at" = $4
  where "advertiser_id" = $5
  and "id" = $6;

-- endpoints.retire
update "webhook_endpoints"
  set "overlap_until" = $1
  where "advertiser_id" = $2
  and "id" = $3;

-- endpoints.recordTest (by the ID of an endpoint that the service has found to be the owner’s)
update "webhook_endpoints"
  set "answer_ms" = coalesce(answer_ms, $1), "skew_ms" = $2
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
select "webhook_lanes"."id", "endpoint"."id" as "endpointId", "endpoint"."answer_ms" as "answerMs", coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) as "owner"
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
  and coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) not in ($12)
  order by "webhook_lanes"."due_at", "webhook_lanes"."id"
  limit $13;
update "webhook_lanes"
  set "lease" = "lease" + $1, "leased_until" = $2, "holder" = $3
  where "id" = $4
  and "ended_at" is null
  and ("webhook_lanes"."due_at" <= $5 or "webhook_lanes"."due_at" > $6 or ("webhook_lanes"."tries" = $7
      and "webhook_lanes"."kind" != $8))
  and ("webhook_lanes"."leased_until" <= $9 or "webhook_lanes"."leased_until" > $10)
  and exists (select "endpoint"."id"
    from "webhook_endpoints" as "endpoint"
    where "endpoint"."id" = "webhook_lanes"."endpoint_id"
    and "endpoint"."state" = $11)
  returning "id", "kind", "lease", "advertiser_id", "sent", "end_number", "tries", "types", "notice", "endpoint_id";
select "id", "agent_id", "url", "scheme", "generation", "overlap_until", "types", (select count(*) as "count"
    from "webhook_lanes" as "parked"
    where "parked"."endpoint_id" = "endpoint"."id"
    and "parked"."kind" = $1
    and "parked"."ended_at" is null) as "parked"
  from "webhook_endpoints" as "endpoint"
  where "id" = $2;

-- lanes.take (the processes share the work between them; a lease says which one may change a lane)
select "webhook_lanes"."id", "endpoint"."id" as "endpointId", "endpoint"."answer_ms" as "answerMs", coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) as "owner"
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
  and coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) not in ($12)
  order by "webhook_lanes"."due_at", "webhook_lanes"."id"
  limit $13;
update "webhook_lanes"
  set "lease" = "lease" + $1, "leased_until" = $2, "holder" = $3
  where "id" = $4
  and "ended_at" is null
  and ("webhook_lanes"."due_at" <= $5 or "webhook_lanes"."due_at" > $6 or ("webhook_lanes"."tries" = $7
      and "webhook_lanes"."kind" != $8))
  and ("webhook_lanes"."leased_until" <= $9 or "webhook_lanes"."leased_until" > $10)
  and exists (select "endpoint"."id"
    from "webhook_endpoints" as "endpoint"
    where "endpoint"."id" = "webhook_lanes"."endpoint_id"
    and "endpoint"."state" = $11)
  returning "id", "kind", "lease", "advertiser_id", "sent", "end_number", "tries", "types", "notice", "endpoint_id";

-- lanes.record (the processes share the work between them; a lease says which one may change a lane)
select "webhook_lanes"."id", "endpoint"."id" as "endpointId", "endpoint"."answer_ms" as "answerMs", coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) as "owner"
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
  and coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) not in ($12)
  order by "webhook_lanes"."due_at", "webhook_lanes"."id"
  limit $13;
update "webhook_lanes"
  set "lease" = "lease" + $1, "leased_until" = $2, "holder" = $3
  where "id" = $4
  and "ended_at" is null
  and ("webhook_lanes"."due_at" <= $5 or "webhook_lanes"."due_at" > $6 or ("webhook_lanes"."tries" = $7
      and "webhook_lanes"."kind" != $8))
  and ("webhook_lanes"."leased_until" <= $9 or "webhook_lanes"."leased_until" > $10)
  and exists (select "endpoint"."id"
    from "webhook_endpoints" as "endpoint"
    where "endpoint"."id" = "webhook_lanes"."endpoint_id"
    and "endpoint"."state" = $11)
  returning "id", "kind", "lease", "advertiser_id", "sent", "end_number", "tries", "types", "notice", "endpoint_id";

-- endpoints.activate (by the ID of an endpoint that the service has found to be the owner’s)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
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
select "id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "tries", "due_at", "lease", "leased_until", "delivered", "created_at", "ended_at", "ended", "notice"
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
  and "tries" > $3
  and "ended_at" is null;
select count(*) as "events", min("number") as "oldestAt"
  from (select "event"."number"
    from "webhook_lanes" as "lane"
    inner join "events" as "event" on "event"."advertiser_id" = "lane"."advertiser_id"
    and "event"."number" > "lane"."sent"
    where "lane"."endpoint_id" = $1
    and "lane"."kind" = $2
    and "lane"."end_number" is null
    and "event"."type" in ($3)
    limit $4) as "behind";
select count(*) as "events", min("number") as "oldestAt"
  from (select "event"."number"
    from "webhook_lanes" as "lane"
    inner join "events" as "event" on "event"."advertiser_id" = "lane"."advertiser_id"
    and "event"."number" > "lane"."sent"
    where "lane"."endpoint_id" = $1
    and "lane"."kind" = $2
    and "lane"."end_number" is null
    and "event"."type" in ($3)
    and (type not in (7, 8) or detail = cast($4 as text))
    limit $5) as "behind";

-- endpoints.givenUp (by the ID of an endpoint that the service has found to be the owner’s)
select "id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "tries", "due_at", "lease", "leased_until", "delivered", "created_at", "ended_at", "ended", "notice", count(*) over() as "events"
  from "webhook_lanes"
  where "endpoint_id" = $1
  and "kind" <> $2
  and "ended" = $3
  order by "ended_at" desc, "end_number" desc
  limit $4;

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
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "ledger"."event_number" as "last", "ledger"."events_from" as "from"
  from "webhook_lanes" as "lane"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "lane"."advertiser_id"
  where "lane"."endpoint_id" = $1
  and "lane"."advertiser_id" = $2
  and "lane"."kind" = $3
  and "lane"."end_number" is null;
insert into "webhook_lanes" ("id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- replays.cancel (by the ID of an endpoint that the service has found to be the owner’s)
update "webhook_lanes"
  set "ended" = $1, "ended_at" = $2
  where "endpoint_id" = $3
  and "kind" = $4
  and "id" = $5
  and "ended_at" is null;

-- replays.resendDeferred (by the ID of an endpoint that the service has found to be the owner’s)
update "webhook_lanes"
  set "due_at" = $1, "tries" = $2, "ended" = $3, "ended_at" = $4, "notified_at" = $5, "sent" = case when notice is null then end_number - 1 else sent end
  where "endpoint_id" = $6
  and "kind" = $7
  and ("ended" is null or "ended" = $8);
update "webhook_lanes"
  set "due_at" = $1, "tries" = $2, "ended" = $3, "ended_at" = $4, "notified_at" = $5, "sent" = case when notice is null then end_number - 1 else sent end
  where "endpoint_id" = $6
  and "kind" = $7
  and ("ended" is null or "ended" = $8)
  and "id" = $9;

-- webhookUpkeep.correctTimes (removes what is over, whoever had it)
update "webhook_endpoints"
  set "failing_since" = $1
  where "failing_since" > $2;
update "webhook_endpoints"
  set "failed_at" = $1
  where "failed_at" > $2;

-- webhookUpkeep.failing (removes what is over, whoever had it)
select "id", "advertiser_id", "agent_id", "failing_since", "failed_at", "told", "state", "stopped_at"
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

-- webhookUpkeep.notifyGivenUp (removes what is over, whoever had it)
select distinct "endpoint"."id", "endpoint"."advertiser_id" as "advertiserId", "endpoint"."agent_id" as "agentId"
  from "webhook_lanes" as "lane"
  inner join "webhook_endpoints" as "endpoint" on "endpoint"."id" = "lane"."endpoint_id"
  where "lane"."ended_at" is not null
  and "lane"."ended" = $1
  and "lane"."notified_at" is null
  and not exists (select "other"."id"
    from "webhook_lanes" as "other"
    where "other"."endpoint_id" = "endpoint"."id"
    and "other"."kind" <> $2
    and "other"."notified_at" > $3
    and "other"."notified_at" <= $4)
  limit $5;

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
    and "failing_since" is not null) then 'failing' else "state" end as "condition", count(*) as "count", count("key_lost_at") as "keysLost"
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
  and "lane"."ended_at" is null
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
select "id"
  from "advertisers"
  where "id" = $1 for no key update;
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "advertiser_id" = $1
  and "id" = $2
  order by "created_at", "id";
delete from "webhook_lanes"
  where "endpoint_id" = $1;
select "id"
  from "webhook_endpoints"
  where "id" = $1 for update;
delete from "webhook_attempts"
  where "endpoint_id" = $1;
delete from "webhook_hours"
  where "endpoint_id" = $1;
delete from "webhook_endpoints"
  where "id" = $1;
insert into "tombstones" ("id", "content")
  values ($1, $2);
select count(*) as "count"
  from "webhook_endpoints"
  where "advertiser_id" = $1;
insert into "webhook_endpoints" ("advertiser_id", "agent_id", "id", "url", "description", "scheme", "types", "state", "created_at", "rotated_at", "overlap_until")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  returning "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at";
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
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
    where client_id = client.id ) as "redirectUris", advertiser.name as "advertiserName", case when client.agent_id is null then case when exists (select 1
    from oauth_client_advertisers
    where oauth_client_advertisers.client_id = client.id
    and oauth_client_advertisers.advertiser_id = advertiser.id) then 1 else 0 end when exists (select 1
    from agent_authorisations
    where agent_authorisations.advertiser_id = advertiser.id
    and agent_authorisations.agent_id = client.agent_id) then 1 else 0 end as "actsFor", candidate.id as "candidateId", session.created_at as "createdAt", session.last_used_at as "lastUsedAt", session.expires_at as "expiresAt", consent.id as "grantId", consent.released, consent.filled, consent.scope, consent.decided_at as "decidedAt", consent.resume_id as "resumeId", candidate.email, candidate.first_name, candidate.last_name, candidate.profile, resume.id, resume.file_name, resume.content_type, resume.blob, resume.sha256, resume.size, resume.scan, resume.not_judged, resume.uploaded_at, resume.is_default
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
select "released"
  from "grants"
  where "candidate_id" = $1
  and "client_id" = $2
  and coalesce(advertiser_id, 0) = $3
  and "withdrawn_at" is null for no key update;
delete from "released_resumes"
  where "grant_id" = $1;
insert into "tombstones" ("id", "content")
  values ($1, $2);
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
select "agent_id"
  from "oauth_clients"
  where "id" = $1;
select "agent_id"
  from "agent_authorisations"
  where "advertiser_id" = $1
  and "agent_id" = $2 for share;

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
select "token"."client_id" as "clientId", "token"."scope", "token"."agent_id" as "agentId", "advertiser"."id" as "advertiserId", "advertiser"."status" as "status", "ledger"."version", "ledger"."event_number" as "eventNumber", "authorisation"."authorised_at" as "authorisedAt", "authorisation"."progress_granted_at" as "progressGrantedAt", "token"."expires_at" as "expiresAt", "token"."revoked_at" as "revokedAt"
  from "oauth_tokens" as "token"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "token"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "token"."advertiser_id" left join "agent_authorisations" as "authorisation" on "authorisation"."advertiser_id" = "token"."advertiser_id"
  and "authorisation"."agent_id" = "token"."agent_id"
  and "authorisation"."authorised_at" = "token"."agent_authorised_at"
  where "token"."hash" = $1
  and "token"."scope" in ($2, $3, $4);

-- sharing.recordPrefill
with asked as ( select *
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::bigint[], $18::text[], $19::text[], $20::bigint[], $21::bigint[]) as asked (token_hash, id, retry_key, client_id, grant_id, candidate_id, advertiser_id, form_url, position_title, position_uri, position_reference, country_code, postal_code, resume_id, released_id, disclosure_id, filled, notice_id, notice_content, notice_give_up_at, now) ), valid as ( select asked.*, token.released
    from asked join oauth_tokens as token on token.hash = asked.token_hash join advertisers as advertiser on advertiser.id = asked.advertiser_id join oauth_clients as client on client.id = token.client_id
    where (client.agent_id is null or exists (select 1
        from agent_authorisations
        where agent_authorisations.advertiser_id = advertiser.id
        and agent_authorisations.agent_id = client.agent_id))
    and token.revoked_at is null
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
    and consent.resume_id = recorded.resume_id ), known as ( select offered.grant_id, released_resumes.id
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

-- sharing.findAdvertiser
select case when (client.agent_id is null or exists (select 1
      from agent_authorisations
      where agent_authorisations.advertiser_id = advertiser.id
      and agent_authorisations.agent_id = client.agent_id)) then 1 else 0 end as "mayApply"
  from "advertisers" as "advertiser"
  inner join "oauth_clients" as "client" on "client"."id" = $1
  where "advertiser"."id" = $2
  and "advertiser"."status" = $3;

-- sharing.findChosenResume
select "resume"."id", "resume"."file_name" as "fileName", "resume"."content_type" as "contentType", "resume"."blob", "resume"."sha256", "resume"."size", "resume"."uploaded_at" as "uploadedAt", "consent"."candidate_id" as "candidateId", case "resume"."not_judged" when 1 then 'not-judged' else "resume"."scan" end as "scan", "consent"."id" as "key"
  from "grants" as "consent"
  inner join "resumes" as "resume" on "resume"."id" = "consent"."resume_id"
  and "resume"."candidate_id" = "consent"."candidate_id"
  where "consent"."id" = any($1);

-- sharing.findReleasedResume
select "resume"."id", "resume"."file_name" as "fileName", "resume"."content_type" as "contentType", "resume"."blob", "resume"."sha256", "resume"."size", "resume"."uploaded_at" as "uploadedAt", case "resume"."not_judged" when 1 then 'not-judged' else "resume"."scan" end as "scan"
  from "released_resumes" as "released"
  inner join "grants" as "consent" on "consent"."id" = "released"."grant_id"
  inner join "resumes" as "resume" on "resume"."id" = "released"."resume_id"
  where "released"."id" = $1
  and "released"."grant_id" = $2
  and "consent"."resume_id" = "resume"."id";

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

-- sharing.reportProgress
select "grant_id"
  from "prefilled_applications"
  where "client_id" = $1
  and "id" in ($2);
select "id"
  from "grants"
  where "client_id" = $1
  and "id" in ($2)
  and "withdrawn_at" is null
  order by "id" for share;
select "id", "grant_id" as "grantId", "created_at" as "createdAt"
  from "prefilled_applications"
  where "client_id" = $1
  and "id" in ($2)
  order by "id" for no key update;
select "prefilled_application_id" as "id", "position", "at", "state"
  from "prefill_progress"
  where "prefilled_application_id" in ($1)
  order by "prefilled_application_id", "position";
insert into "prefill_progress" ("prefilled_application_id", "position", "at", "state", "reason")
  values ($1, $2, $3, $4, $5)
  on conflict ("prefilled_application_id", "position") do update
  set "at" = $6, "reason" = $7;

-- history.disclosures
select "disclosure"."id", "disclosure"."kind", "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "disclosure"."categories", "disclosure"."disclosed_at" as "disclosedAt"
  from "disclosures" as "disclosure"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = $1
  order by "disclosure"."disclosed_at" desc, "disclosure"."id" desc
  limit $2;
select "disclosure"."id", "disclosure"."kind", "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "disclosure"."categories", "disclosure"."disclosed_at" as "disclosedAt"
  from "disclosures" as "disclosure"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = $1
  and ("disclosure"."disclosed_at", "disclosure"."id") < ($2, $3)
  order by "disclosure"."disclosed_at" desc, "disclosure"."id" desc
  limit $4;

-- history.received
select "disclosure"."grant_id" as "grantId", "client"."id" as "clientId", "client"."name" as "clientName", "client"."logo_hash" as "logoHash", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.id end as "advertiserId", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "disclosure"."categories", "consent"."withdrawn_at" as "endedAt", max("disclosure"."disclosed_at") as "lastAt"
  from "disclosures" as "disclosure"
  inner join "grants" as "consent" on "consent"."id" = "disclosure"."grant_id"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = $1
  and "consent"."candidate_id" = $2 group by "disclosure"."grant_id", "client"."id", "client"."name", "client"."logo_hash", "client"."agent_id", "advertiser"."id", "advertiser"."name", "disclosure"."categories", "consent"."withdrawn_at"
  order by "lastAt" desc, "disclosure"."grant_id";

-- history.reported
select "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "application"."position_title" as "positionTitle", "report"."state", "report"."at"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  inner join "prefill_progress" as "report" on "report"."prefilled_application_id" = "application"."id"
  where "application"."candidate_id" = $1
  and "report"."position" = (select max("other"."position") as "position"
    from "prefill_progress" as "other"
    where "other"."prefilled_application_id" = "application"."id")
  order by "application"."created_at" desc, "application"."id" desc
  limit $2;

-- history.applications
select "application"."id", "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.logo_hash end as "logoHash", "application"."position_title" as "positionTitle", "application"."created_at" as "createdAt", "application"."completed_at" as "completedAt", (select "state"
    from "prefill_progress"
    where "prefilled_application_id" = "application"."id"
    order by "position" desc
    limit $1) as "state"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = $2
  order by "application"."created_at" desc, "application"."id" desc
  limit $3;
select "application"."id", "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.logo_hash end as "logoHash", "application"."position_title" as "positionTitle", "application"."created_at" as "createdAt", "application"."completed_at" as "completedAt", (select "state"
    from "prefill_progress"
    where "prefilled_application_id" = "application"."id"
    order by "position" desc
    limit $1) as "state"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = $2
  and ("application"."created_at", "application"."id") < ($3, $4)
  order by "application"."created_at" desc, "application"."id" desc
  limit $5;

-- consents.listConsents
select "consent"."id" as "grantId", "client"."name" as "clientName", "client"."logo_hash" as "logoHash", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.id end as "advertiserId", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "consent"."released", "consent"."filled", "consent"."decided_at" as "decidedAt"
  from "grants" as "consent"
  inner join "oauth_clients" as "client" on "client"."id" = "consent"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "consent"."advertiser_id"
  where "consent"."candidate_id" = $1
  and "consent"."withdrawn_at" is null
  order by "consent"."decided_at" desc, "consent"."id";

-- serviceClock.update (the processes share the work between them, and nobody owns it)
select "ticks", "running_ms" as "runningMs", "seen_at" as "seenAt", "doubted_from" as "doubtedFrom", "doubt_ms" as "doubtMs", "further_ms" as "furtherMs"
  from "service_clock" for update;
select max("ended_at") as "seenAt"
  from "task_runs";
insert into "service_clock" ("id", "ticks", "running_ms", "seen_at", "doubted_from", "doubt_ms", "further_ms")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("id") do update
  set "ticks" = $8, "running_ms" = $9, "seen_at" = $10, "doubted_from" = $11, "doubt_ms" = $12, "further_ms" = $13;

-- serviceClock.read (the processes share the work between them, and nobody owns it)
select "ticks", "running_ms" as "runningMs", "seen_at" as "seenAt", "doubted_from" as "doubtedFrom", "doubt_ms" as "doubtMs", "further_ms" as "furtherMs"
  from "service_clock";

-- serviceClock.confirm (the processes share the work between them, and nobody owns it)
select "ticks", "running_ms" as "runningMs", "seen_at" as "seenAt", "doubted_from" as "doubtedFrom", "doubt_ms" as "doubtMs", "further_ms" as "furtherMs"
  from "service_clock" for update;
update "service_clock"
  set "doubted_from" = $1, "seen_at" = $2;

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

-- unanswered.companies (the numbers of all companies, without their applications)
select "id" as "advertiserId", "answer_days" as "answerDays", "unanswered"
  from "advertisers"
  where "id" > $1
  order by "id"
  limit $2;

-- unanswered.total (one number of all companies)
select sum("unanswered") as "total"
  from "advertisers";

-- unanswered.record
update "advertisers"
  set "unanswered" = $1
  where "id" = $2;

-- rateCounts.add (the nodes count together, by hashes that belong to no owner)
insert into rate_counts (name, key, time_window, hits, expires_at) select name, key, time_window, cast(sum(hits) as bigint), max(expires_at)
  from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) as counted (name, key, time_window, hits, expires_at) group by name, key, time_window
  order by name, key, time_window
  on conflict (name, key, time_window) do update
  set hits = rate_counts.hits + excluded.hits
  returning name, key, time_window, hits;

-- slidingCounts.hit (the nodes count together, by hashes that belong to no owner)
select "time_window" as "window", "hits"
  from "rate_counts"
  where "name" = $1
  and "key" = $2
  and "time_window" >= $3
  and "time_window" <= $4
  order by "time_window" for update;
insert into "rate_counts" ("name", "key", "time_window", "hits", "expires_at")
  values ($1, $2, $3, $4, $5)
  on conflict ("name", "key", "time_window") do update
  set "hits" = rate_counts.hits + excluded.hits;
select "time_window" as "window", "hits"
  from "rate_counts"
  where "name" = $1
  and "key" = $2
  and "time_window" >= $3
  and "time_window" <= $4
  order by "time_window";

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

-- expiry.removeEmailCodes (removes what is over, whoever had it)
delete from "email_codes"
  where ("challenge") in ( select "challenge"
    from "email_codes"
    where "expires_at" <= $1
    order by "expires_at"
    limit $2 for update skip locked);

-- expiry.removeUndoLinks (removes what is over, whoever had it)
delete from "undo_links"
  where ("hash") in ( select "hash"
    from "undo_links"
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

-- events.whenDurable


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
  where "ledger"."advertiser_id" = $7;
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
  where "ledger"."advertiser_id" = $8;

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
    limit $7 + 0) as "event";
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
    and (type not in (7, 8) or detail = cast($6 as text))
    order by "number"
    limit $7 + 0) as "event" left join lateral (select "body", "primary_info"
    from "application_pieces"
    where "advertiser_id" = $8
    and "format" = 'json'
    and "id" = "event"."application_id"
    limit 1) as "piece" on true;

-- expiry.removeJobReports (removes what is over, whoever had it)
delete from "job_reports"
  where ("id") in ( select "id"
    from "job_reports"
    where "last_at" <= $1
    order by "last_at"
    limit $2 for update skip locked);

-- expiry.removeAdDecisions (removes what is over, whoever had it)
delete from "ad_decisions"
  where ("job_ad_id", "number") in ( select "job_ad_id", "number"
    from "ad_decisions"
    where "decided_at" <= $1
    order by "decided_at"
    limit $2 for update skip locked);

-- expiry.removeAdVersions (removes what is over, whoever had it)
delete from "ad_versions"
  where ("advertiser_id", "job_ad_id", "version") in ( select "advertiser_id", "job_ad_id", "version"
    from "ad_versions"
    where "replaced_at" <= $1
    order by "replaced_at"
    limit $2 for update skip locked);

-- expiry.removeDrafts (removes what is over, whoever had it)
select id
  from drafts
  where expires_at <= $1
  order by expires_at
  limit $2 for update skip locked;

-- expiry.removeRecentDecisions (removes what is over, whoever had it)
delete from "recent_decisions"
  where ("advertiser_id", "application_id") in ( select "advertiser_id", "application_id"
    from "recent_decisions"
    where "decided_at" <= $1
    order by "decided_at"
    limit $2 for update skip locked);

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
select "value"
  from "meta"
  where "key" = $1;
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
      limit $4) as "page"
    union select "blob", "size"
    from (select "blob", "size"
      from "draft_files"
      where "scan" = 'unscanned'
      and "blob" > $5
      order by "blob"
      limit $6) as "page") as "page"
  order by "blob"
  limit $7;

-- scanning.resumesOf (the bytes are judged once, for everybody who has them)
select "candidate_id" as "candidateId", "id" as "resumeId", case "resumes"."not_judged" when 1 then 'not-judged' else "resumes"."scan" end as "scan"
  from "resumes"
  where "blob" = $1;

-- scanning.attachmentsOf (the bytes are judged once, for everybody who has them)
select "advertiser_id" as "advertiserId", "application_id" as "applicationId", "type", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "blob" = $1;

-- scanning.draftFilesOf (the bytes are judged once, for everybody who has them)
select case "draft_files"."not_judged" when 1 then 'not-judged' else "draft_files"."scan" end as "scan"
  from "draft_files"
  where "blob" = $1;

-- scanning.recordDraftVerdict (the bytes are judged once, for everybody who has them)
update "draft_files"
  set "scan" = $1, "not_judged" = $2
  where "blob" = $3
  and "scan" in ($4, $5);

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
  where "blob" in ($2)
  union all select "blob", "sha256", "size"
  from "draft_files"
  where "blob" in ($3);

-- blobReferences.named (the bytes of a file are kept or removed for everybody who has them)
select "blob"
  from "application_files"
  where "blob" in ($1)
  union select "blob"
  from "resumes"
  where "blob" in ($2)
  union select "blob"
  from "draft_files"
  where "blob" in ($3);

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

-- ownData.reports (the confirmed address of the account is what says who asks)
select "id", "job_ad_id" as "jobAdId", "reason", "details", "reported_at" as "reportedAt", "outcome"
  from "job_reports"
  where "email" = $1
  order by "reported_at";

-- ownData.consents
select "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "consent"."scope", "consent"."released", "consent"."filled", "consent"."created_at" as "createdAt", "consent"."decided_at" as "decidedAt", "consent"."withdrawn_at" as "withdrawnAt"
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
  and "expires_at" > $2;
select "email", "expires_at" as "expiresAt"
  from "undo_links"
  where "candidate_id" = $1
  and "hash" = "change_id"
  and "expires_at" > $2;

-- ownData.applications
select "own"."application_id", "own"."job_ad_id", "own"."job_title" as "ad_title", "own"."job_location", "own"."advertiser_name", "own"."submitted_at" as "submittedAt", "screen"."json", "screen"."details", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."erased_at", "application"."is_new_to_work_force", "application"."status", "kept"."until" as "keptUntil", "own"."advertiser_id", "application"."privacy_version" as "version", "application"."job_title", "application"."company_name", "application"."time_in_role_months"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "own"."advertiser_id"
  and "kept"."application_id" = "own"."application_id"
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
select "own"."application_id", "entry"."at", "entry"."kind", "entry"."status", "entry"."text", "entry"."position", "entry"."former", case when (select shows_reasons
    from advertisers
    where id = own.advertiser_id) = 1 then entry.reason end as "reason"
  from "own_applications" as "own"
  inner join "application_history" as "entry" on "entry"."advertiser_id" = "own"."advertiser_id"
  and "entry"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."submitted_at" >= $2
  and "own"."submitted_at" <= $3
  and "entry"."kind" in ($4, $5, $6);
select "own"."advertiser_id" as "advertiserId", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("read"."first_at") as "firstAt", max("read"."last_at") as "lastAt"
  from "own_applications" as "own"
  inner join "application_reads" as "read" on "read"."advertiser_id" = "own"."advertiser_id"
  and "read"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2
  and (select "application"."erased_at"
    from "applications" as "application"
    where "application"."advertiser_id" = "own"."advertiser_id"
    and "application"."id" = "own"."application_id") is null group by "own"."advertiser_id", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "advertiser_id" as "advertiserId", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("first_at") as "firstAt", max("last_at") as "lastAt"
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
select "own"."advertiser_id" as "advertiserId", min("own"."submitted_at") as "at"
  from "own_applications" as "own"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2 group by "own"."advertiser_id";
select "own"."application_id", "own"."job_ad_id", "own"."job_title" as "ad_title", "own"."job_location", "own"."advertiser_name", "own"."submitted_at" as "submittedAt", "screen"."json", "screen"."details", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."erased_at", "application"."is_new_to_work_force", "application"."status", "kept"."until" as "keptUntil", "own"."advertiser_id", "application"."privacy_version" as "version", "application"."job_title", "application"."company_name", "application"."time_in_role_months"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "own"."advertiser_id"
  and "kept"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and ("own"."submitted_at", "own"."application_id") < ($2, $3)
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit $4;

-- ownData.startedApplications
select "application"."id", "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "application"."form_url" as "formUrl", "application"."position_title" as "positionTitle", "application"."position_uri" as "positionUri", "application"."position_reference" as "positionReference", "application"."country_code" as "countryCode", "application"."postal_code" as "postalCode", "application"."created_at" as "createdAt", "application"."updated_at" as "updatedAt", "application"."completed_at" as "completedAt", (select "company"."shows_reasons"
    from "advertisers" as "company"
    where "company"."id" = "application"."advertiser_id") as "showsReasons"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = $1
  order by "application"."created_at" desc, "application"."id" desc
  limit $2;
select "prefilled_application_id" as "id", "at", "state" as "status", "reason"
  from "prefill_progress"
  where "prefilled_application_id" in ($1, $2, $3)
  order by "prefilled_application_id", "position";
select "application"."id", "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "application"."form_url" as "formUrl", "application"."position_title" as "positionTitle", "application"."position_uri" as "positionUri", "application"."position_reference" as "positionReference", "application"."country_code" as "countryCode", "application"."postal_code" as "postalCode", "application"."created_at" as "createdAt", "application"."updated_at" as "updatedAt", "application"."completed_at" as "completedAt", (select "company"."shows_reasons"
    from "advertisers" as "company"
    where "company"."id" = "application"."advertiser_id") as "showsReasons"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = $1
  and ("application"."created_at", "application"."id") < ($2, $3)
  order by "application"."created_at" desc, "application"."id" desc
  limit $4;

-- ownData.recipients
select distinct "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName"
  from "disclosures" as "disclosure"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = $1
  order by "clientName", "advertiserName"
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
select "hold"
  from "job_ads"
  where "advertiser_id" = $1
  and "id" = $2;
update "drafts"
  set "version" = "version"
  where "id" = $1
  and "candidate_id" = $2
  returning "version";
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > $1 then last_submitted_at else $2 end, "version" = case when (case when version > event_number then version else event_number end) >= $3 then (case when version > event_number then version else event_number end) + 1 else $4 end, "event_number" = case when (case when version > event_number then version else event_number end) >= $5 then (case when version > event_number then version else event_number end) + 1 else $6 end
  where "advertiser_id" = $7
  returning "last_submitted_at", "event_number", nextval('application_ids') as "id", pg_postmaster_start_time() || '/' || pg_relation_filepath('meta') as "server";
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values ($1, $2, $3, $4, $5, $6, $7, $8);
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

-- drafts.list
select "id", "job_ad_id" as "jobAdId", "job_title" as "jobTitle", "advertiser_name" as "advertiserName", "content", "version", "saved_at" as "savedAt", "expires_at" as "expiresAt"
  from "drafts"
  where "candidate_id" = $1
  order by "saved_at" desc, "id";
select "draft_id" as "draftId", "field", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", case "draft_files"."not_judged" when 1 then 'not-judged' else "draft_files"."scan" end as "scan"
  from "draft_files"
  where "draft_id" in ($1)
  order by "draft_id", "field";

-- drafts.find
select "id", "job_ad_id" as "jobAdId", "job_title" as "jobTitle", "advertiser_name" as "advertiserName", "content", "version", "saved_at" as "savedAt", "expires_at" as "expiresAt"
  from "drafts"
  where "candidate_id" = $1
  and "job_ad_id" = $2
  order by "saved_at" desc, "id";
select "draft_id" as "draftId", "field", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", case "draft_files"."not_judged" when 1 then 'not-judged' else "draft_files"."scan" end as "scan"
  from "draft_files"
  where "draft_id" in ($1)
  order by "draft_id", "field";

-- drafts.own
select "id", "job_ad_id" as "jobAdId", "job_title" as "jobTitle", "advertiser_name" as "advertiserName", "content", "version", "saved_at" as "savedAt", "expires_at" as "expiresAt"
  from "drafts"
  where "candidate_id" = $1
  and "id" = $2
  order by "saved_at" desc, "id";
select "draft_id" as "draftId", "field", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", case "draft_files"."not_judged" when 1 then 'not-judged' else "draft_files"."scan" end as "scan"
  from "draft_files"
  where "draft_id" in ($1)
  order by "draft_id", "field";

-- drafts.save
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "application_id"
  from "own_applications"
  where "candidate_id" = $1
  and "form_key" = $2;
select "id", "version", "content", "saved_at"
  from "drafts"
  where "candidate_id" = $1
  and "job_ad_id" = $2;
select count(*) as "count"
  from "drafts"
  where "candidate_id" = $1;
insert into "drafts" ("id", "candidate_id", "job_ad_id", "job_title", "advertiser_name", "content", "version", "saved_at", "expires_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9);
delete from "draft_files"
  where "draft_id" = $1
  and "field" in ($2, $3)
  returning "blob";
insert into "draft_files" ("draft_id", "field", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- drafts.discard
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
update "drafts"
  set "version" = "version"
  where "id" in ($1)
  and "candidate_id" = $2
  returning "id";
delete from "draft_files"
  where "draft_id" in ($1)
  returning "blob";
delete from "drafts"
  where "id" in ($1)
  and "candidate_id" = $2;
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- ownApplications.answeredScreens
select "own"."advertiser_name" as "advertiserName", "own"."submitted_at" as "submittedAt", "application"."status", "application"."erased_at", "screen"."json", "screen"."details"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit $2;

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
    and application_reads.application_id = own.application_id) as "readAt", (select min(case when first_at >= own.submitted_at then first_at else last_at end)
    from list_reads
    where list_reads.advertiser_id = own.advertiser_id
    and own.application_id between list_reads.first_id
    and list_reads.last_id) as "listedAt"
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
    and application_reads.application_id = own.application_id) as "readAt", (select min(case when first_at >= own.submitted_at then first_at else last_at end)
    from list_reads
    where list_reads.advertiser_id = own.advertiser_id
    and own.application_id between list_reads.first_id
    and list_reads.last_id) as "listedAt"
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
    and application_reads.application_id = own.application_id) as "readAt", (select min(case when first_at >= own.submitted_at then first_at else last_at end)
    from list_reads
    where list_reads.advertiser_id = own.advertiser_id
    and own.application_id between list_reads.first_id
    and list_reads.last_id) as "listedAt"
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
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "notice"."version" as "notice_version", "notice"."url" as "notice_url", "notice"."created_at" as "notice_at", "seen"."job_ad_id" as "seen_id", "seen"."version" as "seen_version", "seen"."content" as "seen_content", "seen"."created_at" as "seen_at"
  from "applications" as "application" left join "privacy_notices" as "notice" on "notice"."advertiser_id" = "application"."advertiser_id"
  and "notice"."version" = "application"."privacy_version" left join "ad_versions" as "seen" on "seen"."advertiser_id" = "application"."advertiser_id"
  and "seen"."job_ad_id" = "application"."job_ad_id"
  and "seen"."version" = "application"."ad_version"
  where "application"."advertiser_id" = $1
  and "application"."id" = $2;
select "json", "details"
  from "application_screens"
  where "advertiser_id" = $1
  and "application_id" = $2;
select "due_at"
  from "erasures"
  where "advertiser_id" = $1
  and "application_id" = $2;
select "own"."application_id", "entry"."at", "entry"."kind", "entry"."status", "entry"."text", "entry"."position", "entry"."former", case when (select shows_reasons
    from advertisers
    where id = own.advertiser_id) = 1 then entry.reason end as "reason"
  from "own_applications" as "own"
  inner join "application_history" as "entry" on "entry"."advertiser_id" = "own"."advertiser_id"
  and "entry"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2
  and "entry"."kind" in ($3, $4, $5);
select "own"."advertiser_id" as "advertiserId", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("read"."first_at") as "firstAt", max("read"."last_at") as "lastAt"
  from "own_applications" as "own"
  inner join "application_reads" as "read" on "read"."advertiser_id" = "own"."advertiser_id"
  and "read"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2
  and (select "application"."erased_at"
    from "applications" as "application"
    where "application"."advertiser_id" = "own"."advertiser_id"
    and "application"."id" = "own"."application_id") is null group by "own"."advertiser_id", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "advertiser_id" as "advertiserId", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("first_at") as "firstAt", max("last_at") as "lastAt"
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
select "own"."advertiser_id" as "advertiserId", min("own"."submitted_at") as "at"
  from "own_applications" as "own"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2 group by "own"."advertiser_id";

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
select "own"."advertiser_id" as "advertiserId", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("read"."first_at") as "firstAt", max("read"."last_at") as "lastAt"
  from "own_applications" as "own"
  inner join "application_reads" as "read" on "read"."advertiser_id" = "own"."advertiser_id"
  and "read"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  and (select "application"."erased_at"
    from "applications" as "application"
    where "application"."advertiser_id" = "own"."advertiser_id"
    and "application"."id" = "own"."application_id") is null group by "own"."advertiser_id", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "advertiser_id" as "advertiserId", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("first_at") as "firstAt", max("last_at") as "lastAt"
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
select "own"."advertiser_id" as "advertiserId", min("own"."submitted_at") as "at"
  from "own_applications" as "own"
  where "own"."candidate_id" = $1 group by "own"."advertiser_id";

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
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2)
  order by "id" for no key update;

-- ownApplications.endKeeping
select "advertiser_id" as "advertiserId", "submitted_at" as "submittedAt"
  from "own_applications"
  where "candidate_id" = $1
  and "application_id" = $2;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end
  where "advertiser_id" = $3
  returning "event_number";
delete from "kept_applications"
  where "advertiser_id" = $1
  and "application_id" = $2;
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);
insert into "tombstones" ("id", "content")
  values ($1, $2);

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
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
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
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end + $3
  where "advertiser_id" = $4
  returning "event_number";
insert into "erasures" ("advertiser_id", "application_id", "due_at", "reason")
  values ($1, $2, $3, $4)
  on conflict ("advertiser_id", "application_id") do update
  set "due_at" = case when erasures.due_at < excluded.due_at then erasures.due_at else excluded.due_at end, "reason" = excluded.reason, "ripe_at" = case when erasures.due_at < excluded.due_at then erasures.ripe_at else 0 end;
delete from "kept_applications"
  where "advertiser_id" = $1
  and "application_id" = $2;
insert into "tombstones" ("id", "content")
  values ($1, $2);
insert into "untold_withdrawals" ("advertiser_id", "candidate_id", "application_id") select "advertiser_id", "candidate_id", 2 as "application_id"
  from "memberships"
  where "advertiser_id" = $1
  and "notify" != $2
  and "told_up_to" >= $3 for key share;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);

-- ownApplications.holders
select "advertiser"."id", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone", count(*) as "applications", min("own"."submitted_at") as "firstAt", max("own"."submitted_at") as "lastAt"
  from "own_applications" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = $1 group by "advertiser"."id", "advertiser"."name", "advertiser"."logo_hash", "advertiser"."time_zone"
  order by "lastAt" desc, "advertiser"."id"
  limit $2;
select "agent_authorisations"."advertiser_id", "agents"."name"
  from "agent_authorisations"
  inner join "agents" on "agents"."id" = "agent_authorisations"."agent_id"
  where "advertiser_id" in (select "advertiser_id"
    from "own_applications"
    where "candidate_id" = $1)
  order by "agents"."name", "agents"."id";
select "own"."advertiser_id", "own"."application_id" as "applicationId", "own"."job_title" as "jobTitle", "kept"."until"
  from "own_applications" as "own"
  inner join "kept_applications" as "kept" on "kept"."advertiser_id" = "own"."advertiser_id"
  and "kept"."application_id" = "own"."application_id"
  where "own"."candidate_id" = $1
  order by "own"."submitted_at" desc;

-- answers.find
select "application"."id" as "applicationId", "screen"."json", "screen"."details"
  from "applications" as "application" left join "application_screens" as "screen" on "screen"."advertiser_id" = "application"."advertiser_id"
  and "screen"."application_id" = "application"."id"
  where "application"."advertiser_id" = $1
  and "application"."id" in ($2);
select "file"."application_id" as "applicationId", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."size", "file"."sha256", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan"
  from "application_files" as "file"
  where "file"."advertiser_id" = $1
  and "file"."application_id" in ($2)
  and "file"."type" not in ($3, $4, $5);

-- answers.sizes
select "application_id" as "id", "size"
  from "application_screens"
  where "advertiser_id" = $1
  and "application_id" in ($2);

-- applicationSearch.page
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "id" > $2
  and "id" < $3
  order by "id" desc
  limit $4;
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "ad"."title" as "ad_title", (select "entry"."label"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = "application"."advertiser_id"
    and "entry"."application_id" = "application"."id"
    and "entry"."kind" = 'status'
    order by "entry"."position" desc
    limit $1) as "stage", (select string_agg(file.type || ':' || case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end, ',') as "files"
    from "application_files" as "file"
    where "file"."advertiser_id" = "application"."advertiser_id"
    and "file"."application_id" = "application"."id") as "files"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = $2
  and "application"."id" in ($3);
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
select "id"
  from "applications"
  where "advertiser_id" = $1
  and "erased_at" is null
  and (select "entry"."position"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = $2
    and "entry"."application_id" = "applications"."id"
    and "entry"."kind" = 'status'
    and "entry"."status" not in ('new', 'seen')
    limit $3) is null
  and "status" is not null
  and ("status", id) > ($4, $5)
  and ("status", id) < ($6, $7)
  order by "status" desc, "id" desc
  limit $8;
select "id"
  from "applications"
  where "advertiser_id" = $1
  and +erased_at is null
  and (select "entry"."position"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = $2
    and "entry"."application_id" = "applications"."id"
    and "entry"."kind" = 'status'
    and "entry"."status" not in ('new', 'seen')
    limit $3) is null
  and "job_ad_id" is not null
  and (job_ad_id, "status", id) > ($4, $5, $6)
  and (job_ad_id, "status", id) < ($7, $8, $9)
  order by "job_ad_id" desc, "status" desc, "id" desc
  limit $10;
select "id", "email", "first_name", "last_name", "job_reference"
  from "applications"
  where "advertiser_id" = $1
  and "id" in ($2, $3, $4, $5, $6, $7, $8, $9);
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
  and "id" in ($2, $3, $4, $5);

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

-- applicationSearch.countUnanswered
select count(*) as "count"
  from (select "id"
    from "applications"
    where "advertiser_id" = $1
    and "erased_at" is null
    and (select "entry"."position"
      from "application_history" as "entry"
      where "entry"."advertiser_id" = $2
      and "entry"."application_id" = "applications"."id"
      and "entry"."kind" = 'status'
      and "entry"."status" not in ('new', 'seen')
      limit $3) is null
    and "status" is not null
    and ("status", id) > ($4, $5)
    and ("status", id) < ($6, $7)
    order by "status" desc, "id" desc
    limit $8) as "unanswered";

-- applicationSearch.related
select "other"."application_id" as "id"
  from "own_applications" as "this"
  inner join "own_applications" as "other" on "other"."candidate_id" = "this"."candidate_id"
  where "this"."advertiser_id" = $1
  and "this"."application_id" = $2
  and +other.advertiser_id = $3
  order by "other"."submitted_at" desc, "other"."application_id" desc
  limit $4;
select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = $1
    and "term" = $2
    order by "application_id" desc
    limit $3) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = $4
    and "term" = $5
    order by "application_id" desc
    limit $6) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = $7
    and "term" = $8
    order by "application_id" desc
    limit $9) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = $10
    and "term" = $11
    order by "application_id" desc
    limit $12) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = $13
    and "term" = $14
    order by "application_id" desc
    limit $15) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = $16
    and "term" = $17
    order by "application_id" desc
    limit $18) as "newest";
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "ad"."title" as "ad_title", (select "entry"."label"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = "application"."advertiser_id"
    and "entry"."application_id" = "application"."id"
    and "entry"."kind" = 'status'
    order by "entry"."position" desc
    limit $1) as "stage"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = $2
  and "application"."id" in ($3, $4, $5, $6, $7, $8, $9, $10)
  and "application"."erased_at" is null;

-- applicationSearch.find
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "ad"."title" as "ad_title", (select "entry"."label"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = "application"."advertiser_id"
    and "entry"."application_id" = "application"."id"
    and "entry"."kind" = 'status'
    order by "entry"."position" desc
    limit $1) as "stage", "kept"."until" as "keptUntil", "erasure"."due_at", "erasure"."reason", "screen"."json", "screen"."details", "notice"."version" as "notice_version", "notice"."url" as "notice_url", "notice"."created_at" as "notice_at", "seen"."job_ad_id" as "seen_id", "seen"."version" as "seen_version", "seen"."content" as "seen_content", "seen"."created_at" as "seen_at"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id" left join "erasures" as "erasure" on "erasure"."advertiser_id" = "application"."advertiser_id"
  and "erasure"."application_id" = "application"."id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "application"."advertiser_id"
  and "screen"."application_id" = "application"."id" left join "privacy_notices" as "notice" on "notice"."advertiser_id" = "application"."advertiser_id"
  and "notice"."version" = "application"."privacy_version" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "application"."advertiser_id"
  and "kept"."application_id" = "application"."id" left join "ad_versions" as "seen" on "seen"."advertiser_id" = "application"."advertiser_id"
  and "seen"."job_ad_id" = "application"."job_ad_id"
  and "seen"."version" = "application"."ad_version"
  where "application"."advertiser_id" = $2
  and "application"."id" = $3;
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

-- listEntries.firstNames (the operator's own look-up or list)
select "id", "name"
  from "list_entries"
  where "list" = $1;

-- listEntries.add (the operator's own look-up or list)
insert into "list_entries" ("list", "id", "name")
  values ($1, $2, $3)
  on conflict ("list", "id") do nothing;
select "id", "name"
  from "list_entries"
  where "list" = $1;

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
select "role"
  from "operators"
  where "candidate_id" = $1;
insert into "sessions" ("hash", "id", "candidate_id", "browser", "created_at", "last_used_at", "expires_at", "network", "proved_at", "proved_by", "factors", "code_at", "password_at", "passkey_id")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);
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
select "session"."id" as "sessionId", "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."mail_refused_at" as "mailRefusedAt", "session"."last_used_at" as "lastUsedAt", "session"."expires_at" as "expiresAt", "session"."created_at" as "createdAt", "session"."proved_at" as "provedAt", "session"."proved_by" as "provedBy", "session"."factors" as "factors", "session"."password_at" as "passwordAt", "session"."factor_at" as "factorAt", "session"."factor_by" as "factorBy", "session"."code_at" as "codeAt", "session"."provider_issuer" as "providerIssuer", coalesce((select "role"
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
  set "proved_at" = $1, "proved_by" = $2, "password_at" = $3
  where "candidate_id" = $4
  and "id" = $5;

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
select "id"
  from "sessions"
  where "candidate_id" = $1
  and "id" = $2;
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
select "hash"
  from "recovery_codes"
  where "candidate_id" = $1;
delete from "recovery_codes"
  where "candidate_id" = $1;
insert into "recovery_codes" ("candidate_id", "hash", "created_at")
  values ($1, $2, $3);
update "sessions"
  set "factors" = $1, "proved_at" = $2, "proved_by" = $3, "factor_at" = $4, "factor_by" = $5, "passkey_id" = $6
  where "candidate_id" = $7
  and "id" = $8;
delete from "sessions"
  where "candidate_id" = $1
  and "id" != $2;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = $1);
delete from "account_links"
  where "candidate_id" = $1
  and "purpose" = $2;
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- factors.findPasskey (a passkey names the account)
select "id", "name", "rp_id" as "rpId", "transports", "created_at" as "createdAt", "last_used_at" as "lastUsedAt", "candidate_id" as "candidateId", "public_key" as "publicKey", "counter"
  from "passkeys"
  where "id" = $1;

-- factors.addPasskey
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "id"
  from "sessions"
  where "candidate_id" = $1
  and "id" = $2;
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
insert into "tombstones" ("id", "content")
  values ($1, $2);

-- factors.renamePasskey
update "passkeys"
  set "name" = $1
  where "id" = $2
  and "candidate_id" = $3;

-- factors.removePasskey
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "id", "created_at"
  from "passkeys"
  where "candidate_id" = $1
  and "id" = $2;
delete from "passkeys"
  where "id" = $1
  and "candidate_id" = $2;

-- factors.reset
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "created_at"
  from "totp_factors"
  where "candidate_id" = $1;
insert into "tombstones" ("id", "content")
  values ($1, $2);
select "id", "created_at"
  from "passkeys"
  where "candidate_id" = $1;
delete from "totp_factors"
  where "candidate_id" = $1;
delete from "passkeys"
  where "candidate_id" = $1;
delete from "identities"
  where "candidate_id" = $1
  and "linked_at" > $2
  returning "issuer", "linked_at";
select "hash"
  from "recovery_codes"
  where "candidate_id" = $1;
delete from "recovery_codes"
  where "candidate_id" = $1;
delete from "sessions"
  where "candidate_id" = $1;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = $1);
select "company"."id" as "advertiserId"
  from "memberships" as "member"
  inner join "advertisers" as "company" on "company"."id" = "member"."advertiser_id"
  where "member"."candidate_id" = $1
  and "company"."requires_factor" = $2;

-- factors.listAtReset
select "candidate"."created_at" as "createdAt", "mailbox"."set_at" as "setAt"
  from "candidates" as "candidate" left join "mailbox_passwords" as "mailbox" on "mailbox"."candidate_id" = "candidate"."id"
  where "candidate"."id" = $1;
select "role"
  from "operators"
  where "candidate_id" = $1;
select "created_at" as "createdAt"
  from "totp_factors"
  where "candidate_id" = $1;
select "name", "created_at" as "createdAt"
  from "passkeys"
  where "candidate_id" = $1;
select "issuer", "linked_at" as "createdAt"
  from "identities"
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
select "created_at"
  from "totp_factors"
  where "candidate_id" = $1;
delete from "totp_factors"
  where "candidate_id" = $1;

-- factors.removeLostTotp
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
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "created_at"
  from "totp_factors"
  where "candidate_id" = $1;
delete from "totp_factors"
  where "candidate_id" = $1
  and "secret" = $2;

-- sessions.recordUse (the secret is what says who asks)
update "sessions"
  set "last_used_at" = $1
  where "hash" = $2
  and "last_used_at" <= $3;

-- sessions.list
select "id" as "sessionId", "browser", "network", "created_at" as "createdAt", "last_used_at" as "lastUsedAt", "proved_at" as "provedAt", "proved_by" as "provedBy", "factors", "password_at" as "passwordAt", "factor_at" as "factorAt", "factor_by" as "factorBy", "code_at" as "codeAt", "provider_issuer" as "providerIssuer"
  from "sessions"
  where "candidate_id" = $1
  and "expires_at" > $2
  order by "last_used_at" desc, "created_at" desc, "id";

-- sessions.endOthers
delete from "sessions"
  where "candidate_id" = $1
  and "id" != $2
  returning "id", "candidate_id";
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = $1);

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

-- accounts.namesOf (names of the people in the entries that the caller was shown)
select "id", "email", "first_name", "last_name"
  from "candidates"
  where "id" in ($1);

-- accounts.hasWorkplace
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;

-- codes.add (an address names the account before the sign-in)
insert into "email_codes" ("challenge", "purpose", "email", "made_at", "expires_at", "tries")
  values ($1, $2, $3, $4, $5, $6);

-- codes.find (the secret is what says who asks)
select "email", "tries", "made_at" as "madeAt", "expires_at" as "expiresAt", "used_at" as "usedAt"
  from "email_codes"
  where "challenge" = $1
  and "purpose" = $2;

-- codes.setCode (the secret is what says who asks)
update "email_codes"
  set "mac" = $1
  where "challenge" = $2
  and "used_at" is null
  and "expires_at" > $3;

-- codes.countTry (the secret is what says who asks)
update "email_codes"
  set "tries" = "tries" + $1
  where "challenge" = $2
  and "used_at" is null
  and "expires_at" > $3
  and "purpose" = $4
  and "tries" < $5
  returning "email", "mac", "tries";

-- codes.use (the secret is what says who asks)
update "email_codes"
  set "used_at" = $1
  where "challenge" = $2
  and "used_at" is null
  and "expires_at" > $3;

-- accounts.findByEmail (an address names the account before the sign-in)
select "value"
  from "meta"
  where "key" = $1;
select "id" as "candidateId", "email", "email_confirmed_at" as "emailConfirmedAt", "password_hash" as "passwordHash", "first_name" as "firstName", "last_name" as "lastName"
  from "candidates"
  where "email" = $1;

-- accounts.add (an address names the account before the sign-in)
select "value"
  from "meta"
  where "key" = $1;
insert into "candidates" ("id", "email", "password_hash", "first_name", "last_name", "profile", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("email") do nothing;

-- accounts.addLink
insert into "account_links" ("hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- accounts.addDecoy (counts by the hash of an address or of an account, which nobody owns)
insert into "sent_forms" ("key", "location", "expires_at")
  values ($1, $2, $3);

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
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = $1);

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
select "email"
  from "candidates"
  where "id" = $1;
update "candidates"
  set "email" = $1, "email_confirmed_at" = $2, "mail_refused_at" = $3, "mail_refusal" = $4
  where "id" = $5
  and not exists (select "other"."id"
    from "candidates" as "other"
    where "other"."email" = $6);
delete from "account_links"
  where "candidate_id" = $1;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = $1);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "changed_at"
  from "undo_links"
  where "candidate_id" = $1
  and "kind" = $2
  and "email" = $3
  and "expires_at" > $4
  order by "changed_at"
  limit $5;
insert into "undo_links" ("candidate_id", "kind", "email", "changed_at", "hash", "change_id", "expires_at")
  values ($1, $2, $3, $4, $5, $6, $7);
insert into "tombstones" ("id", "content")
  values ($1, $2);
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
select "password_hash"
  from "candidates"
  where "id" = $1;
insert into "tombstones" ("id", "content")
  values ($1, $2);
update "candidates"
  set "password_hash" = $1, "mail_refused_at" = $2, "mail_refusal" = $3, "email_confirmed_at" = coalesce("email_confirmed_at", $4)
  where "id" = $5
  and "email" = $6;
delete from "account_links"
  where "candidate_id" = $1;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = $1);
delete from "sessions"
  where "candidate_id" = $1;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "email"
  from "candidates"
  where "id" = $1;
insert into "undo_links" ("candidate_id", "kind", "email", "changed_at", "hash", "change_id", "expires_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "role"
  from "operators"
  where "candidate_id" = $1;
select "candidate"."created_at" as "createdAt", "mailbox"."set_at" as "setAt"
  from "candidates" as "candidate" left join "mailbox_passwords" as "mailbox" on "mailbox"."candidate_id" = "candidate"."id"
  where "candidate"."id" = $1;
delete from "totp_factors"
  where "candidate_id" = $1
  and "created_at" > $2
  returning "created_at";
delete from "passkeys"
  where "candidate_id" = $1
  and "created_at" > $2
  returning "id", "created_at";
delete from "identities"
  where "candidate_id" = $1
  and "linked_at" > $2
  returning "issuer", "linked_at";
insert into "mailbox_passwords" ("candidate_id", "set_at")
  values ($1, $2)
  on conflict ("candidate_id") do update
  set "set_at" = $3;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;
select "company"."id" as "advertiserId"
  from "memberships" as "member"
  inner join "advertisers" as "company" on "company"."id" = "member"."advertiser_id"
  where "member"."candidate_id" = $1
  and "company"."requires_factor" = $2;

-- accounts.changePassword
update "candidates"
  set "password_hash" = $1
  where "id" = $2
  and "password_hash" = $3;
insert into "tombstones" ("id", "content")
  values ($1, $2);
delete from "sessions"
  where "candidate_id" = $1
  and "id" != $2;
delete from "account_links"
  where "candidate_id" = $1;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = $1);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);
select "email"
  from "candidates"
  where "id" = $1;
insert into "undo_links" ("candidate_id", "kind", "email", "changed_at", "hash", "change_id", "expires_at")
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

-- identities.addAccount (makes an account)
insert into "candidates" ("email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "id", "email", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict ("email") do update
  set "email_confirmed_at" = $9, "password_hash" = $10, "first_name" = $11, "last_name" = $12, "profile" = $13
  where "candidates"."email_confirmed_at" is null
  returning "id";
delete from "account_links"
  where "candidate_id" = $1;
insert into "identities" ("issuer", "subject", "candidate_id", "linked_at", "last_used_at")
  values ($1, $2, $3, $4, $5)
  on conflict do nothing;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;

-- identities.link
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
insert into "identities" ("issuer", "subject", "candidate_id", "linked_at", "last_used_at")
  values ($1, $2, $3, $4, $5)
  on conflict do nothing;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;

-- identities.find (the provider vouches for the person)
select "candidate_id"
  from "identities"
  where "issuer" = $1
  and "subject" = $2;

-- identities.list
select "issuer", "subject", "linked_at" as "linkedAt", "last_used_at" as "lastUsedAt"
  from "identities"
  where "candidate_id" = $1
  order by "issuer";

-- identities.isOperator
select "candidate_id"
  from "operators"
  where "candidate_id" = $1;

-- identities.isCandidateOf
select "subject"
  from "identities"
  where "candidate_id" = $1
  and "issuer" = $2;
select "candidate_id"
  from "operators"
  where "candidate_id" = $1;
select "candidate_id"
  from "memberships"
  where "candidate_id" = $1;

-- identities.unlink
update "candidates"
  set "first_name" = "first_name"
  where "id" = $1;
select "password_hash" as "passwordHash"
  from "candidates"
  where "id" = $1;
select "id"
  from "passkeys"
  where "candidate_id" = $1
  limit $2;
delete from "identities"
  where "candidate_id" = $1
  and "issuer" = $2
  returning "linked_at", "subject";
insert into "tombstones" ("id", "content")
  values ($1, $2);
delete from "sessions"
  where "candidate_id" = $1
  and "provider_issuer" = $2
  and "provider_subject" = $3
  and "id" != $4;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = $1
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = $2
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = $3;

-- identities.endSessions (the provider names the sessions)
delete from "sessions"
  where "provider_issuer" = $1
  and "provider_subject" = $2
  returning "id", "candidate_id";

-- identities.keep (the secret is what says who asks)
insert into "sent_forms" ("key", "location", "expires_at")
  values ($1, $2, $3)
  on conflict ("key") do nothing;

-- identities.read (the secret is what says who asks)
select "location"
  from "sent_forms"
  where "key" = $1
  and "expires_at" > $2;

-- identities.take (the secret is what says who asks)
delete from "sent_forms"
  where "key" = $1
  and "expires_at" > $2
  returning "location";

-- undo.findChange (the ID of the email that is being sent says whose change it is)
select "change_id" as "changeId", "candidate_id" as "candidateId", "kind", "email", "changed_at" as "changedAt"
  from "undo_links"
  where "hash" = $1
  and "expires_at" > $2;

-- undo.firstChange
select "change_id" as "changeId", "candidate_id" as "candidateId", "kind", "email", "changed_at" as "changedAt"
  from "undo_links"
  where "candidate_id" = $1
  and "changed_at" >= $2
  and "email" = $3
  and "hash" = "change_id"
  and "expires_at" > $4
  order by "changed_at"
  limit $5;

-- undo.addLink (the ID of the email that is being sent says whose change it is)
insert into "undo_links" ("hash", "change_id", "candidate_id", "kind", "email", "changed_at", "expires_at") select $1 as "hash", "change_id", "candidate_id", "kind", "email", "changed_at", "expires_at"
  from "undo_links"
  where "hash" = $2;

-- undo.find (the secret is what says who asks)
select "change"."candidate_id" as "candidateId", "change"."kind", "change"."email", "change"."changed_at" as "changedAt", "candidate"."email" as "current", "other"."email_confirmed_at" as "takenAt"
  from "undo_links" as "link"
  inner join "undo_links" as "change" on "change"."hash" = "link"."change_id"
  inner join "candidates" as "candidate" on "candidate"."id" = "change"."candidate_id" left join "candidates" as "other" on "other"."email" = "change"."email"
  and "other"."id" != "candidate"."id"
  where "link"."hash" = $1
  and "link"."hash" != "link"."change_id"
  and "change"."expires_at" > $2;
select "created_at" as "createdAt"
  from "totp_factors"
  where "candidate_id" = $1;
select "name", "created_at" as "createdAt"
  from "passkeys"
  where "candidate_id" = $1;
select "issuer", "linked_at" as "createdAt"
  from "identities"
  where "candidate_id" = $1;
select "role"
  from "operators"
  where "candidate_id" = $1;

-- undo.undo (the secret is what says who asks)
update "candidates"
  set "email" = "email"
  where "id" = (select "candidate_id"
    from "undo_links"
    where "hash" = $1);
select "change"."candidate_id" as "candidateId", "change"."kind", "change"."email", "change"."changed_at" as "changedAt", "candidate"."email" as "current", "other"."email_confirmed_at" as "takenAt"
  from "undo_links" as "link"
  inner join "undo_links" as "change" on "change"."hash" = "link"."change_id"
  inner join "candidates" as "candidate" on "candidate"."id" = "change"."candidate_id" left join "candidates" as "other" on "other"."email" = "change"."email"
  and "other"."id" != "candidate"."id"
  where "link"."hash" = $1
  and "link"."hash" != "link"."change_id"
  and "change"."expires_at" > $2;
select "created_at" as "createdAt"
  from "totp_factors"
  where "candidate_id" = $1;
select "name", "created_at" as "createdAt"
  from "passkeys"
  where "candidate_id" = $1;
select "issuer", "linked_at" as "createdAt"
  from "identities"
  where "candidate_id" = $1;
select "role"
  from "operators"
  where "candidate_id" = $1;
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
select "email"
  from "candidates"
  where "id" = $1;
select "password_hash"
  from "candidates"
  where "id" = $1;
insert into "tombstones" ("id", "content")
  values ($1, $2);
update "candidates"
  set "email" = $1, "password_hash" = $2, "mail_refused_at" = $3, "mail_refusal" = $4, "email_confirmed_at" = $5
  where "id" = $6;
delete from "account_links"
  where "candidate_id" = $1;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = $1);
delete from "undo_links"
  where "candidate_id" = $1
  and "changed_at" >= $2;
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
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7), ($8, $9, $10, $11, $12, $13, $14);
select "company"."id" as "advertiserId"
  from "memberships" as "member"
  inner join "advertisers" as "company" on "company"."id" = "member"."advertiser_id"
  where "member"."candidate_id" = $1
  and "company"."requires_factor" = $2;

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

-- failures.countAndNotify (counts by the hash of an address or of an account, which nobody owns)
insert into "sign_in_failures" ("key", "failures", "last_failed_at")
  values ($1, $2, $3)
  on conflict ("key") do update
  set "last_failed_at" = $4, "failures" = case when "sign_in_failures"."last_failed_at" < $5 then $6 else "sign_in_failures"."failures" + $7 end
  returning "failures";
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7);

-- failures.takeBack (counts by the hash of an address or of an account, which nobody owns)
update "sign_in_failures"
  set "failures" = "failures" - $1
  where "key" = $2
  and "failures" > $3;

-- failures.remove (counts by the hash of an address or of an account, which nobody owns)
delete from "sign_in_failures"
  where "key" = $1;

-- intakeDirectory.find
select "advertiser"."status", "advertiser"."time_zone" as "timeZone"
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
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values ($1, $2, $3, $4, $5, $6, $7, $8);
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
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values ($1, $2, $3, $4, $5, $6, $7, $8);
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
select "id"
  from "grants"
  where "advertiser_id" = $1
  and "withdrawn_at" is null
  and "client_id" = $2;
update "grants"
  set "withdrawn_at" = $1
  where "id" = $2
  and "withdrawn_at" is null;
insert into "tombstones" ("id", "content")
  values ($1, $2);
update "oauth_codes"
  set "expires_at" = $1
  where "grant_id" = $2
  and "expires_at" > $3;
select "token_hash"
  from "oauth_codes"
  where "grant_id" = $1
  and "token_hash" is not null;

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
select "released", "decided_at" as "decidedAt"
  from "grants"
  where "id" = $1
  and "candidate_id" = $2
  and "withdrawn_at" is null for no key update;
update "grants"
  set "released" = $1
  where "id" = $2
  and "candidate_id" = $3;
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

-- agents.setProgress
select "version"
  from "advertiser_ledger"
  where "advertiser_id" = $1 for update;
select "progress_granted_at" as "grantedAt"
  from "agent_authorisations"
  where "advertiser_id" = $1
  and "agent_id" = $2;
update "agents"
  set "last_authorised_at" = case when "last_authorised_at" >= $1 then "last_authorised_at" + $2 else $3 end
  where "id" = $4
  returning "last_authorised_at";
update "agent_authorisations"
  set "progress_granted_at" = $1
  where "advertiser_id" = $2
  and "agent_id" = $3;
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
select "id"
  from "grants"
  where "advertiser_id" = $1
  and "withdrawn_at" is null
  and exists (select "oauth_clients"."id"
    from "oauth_clients"
    where "oauth_clients"."id" = "grants"."client_id"
    and "oauth_clients"."agent_id" = $2);
insert into "tombstones" ("id", "content")
  values ($1, $2);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values ($1, $2, $3, $4, $5);
select "id"
  from "agents"
  where "id" = $1 for no key update;
select "id", "types"
  from "webhook_endpoints"
  where "agent_id" = $1;
delete from "webhook_lanes"
  where "advertiser_id" = $1
  and "endpoint_id" in (select "id"
    from "webhook_endpoints"
    where "agent_id" = $2)
  and "kind" = $3;

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
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values ($1, $2, $3, $4, $5, $6, $7, $8);
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

-- ownRetention.find
select "own"."advertiser_id", "own"."submitted_at" as "submittedAt", "advertiser"."time_zone" as "timeZone", "advertiser"."retention_choice", "advertiser"."retention_months", "advertiser"."next_retention_months", "advertiser"."retention_changes_at"
  from "own_applications" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = $1
  and "own"."application_id" = $2;
select "erasure"."due_at" as "plannedAt", "hold"."placed_at", "kept"."until" as "keptUntil"
  from "applications" as "application" left join "application_holds" as "hold" on "hold"."advertiser_id" = "application"."advertiser_id"
  and "hold"."application_id" = "application"."id" left join "erasures" as "erasure" on "erasure"."advertiser_id" = "application"."advertiser_id"
  and "erasure"."application_id" = "application"."id" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "application"."advertiser_id"
  and "kept"."application_id" = "application"."id"
  where "application"."advertiser_id" = $1
  and "application"."id" = $2
  and "application"."erased_at" is null;

-- retention.companies (the operator's own look-up or list)
select "id" as "advertiserId", "name", "time_zone" as "timeZone", "keep_months" as "keepMonths", "retention_choice", "retention_months", "next_retention_months", "retention_changes_at", exists (select "application"."id"
    from "applications" as "application"
    where "application"."advertiser_id" = "advertisers"."id"
    and "application"."erased_at" is null) as "isKeeping"
  from "advertisers"
  where "id" > $1
  order by "id"
  limit $2;

-- retention.find
select "id" as "advertiserId", "name", "time_zone" as "timeZone", "keep_months" as "keepMonths", "retention_choice", "retention_months", "next_retention_months", "retention_changes_at", exists (select "application"."id"
    from "applications" as "application"
    where "application"."advertiser_id" = $1
    and "application"."erased_at" is null) as "isKeeping"
  from "advertisers"
  where "id" = $2;

-- retention.update
select "id" as "advertiserId", "name", "time_zone" as "timeZone", "keep_months" as "keepMonths", "retention_choice", "retention_months", "next_retention_months", "retention_changes_at", exists (select "application"."id"
    from "applications" as "application"
    where "application"."advertiser_id" = $1
    and "application"."erased_at" is null) as "isKeeping"
  from "advertisers"
  where "id" = $2 for no key update;
update "advertisers"
  set "retention_choice" = $1, "retention_months" = $2, "next_retention_months" = $3, "retention_changes_at" = $4
  where "id" = $5;
select "candidate_id" as "candidateId"
  from "memberships"
  where "advertiser_id" = $1
  and "role" = $2;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7), ($8, $9, $10, $11, $12, $13, $14);
delete from "erasures"
  where "advertiser_id" = $1
  and "reason" = $2;

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
  and "application"."erased_at" is null
  and not exists (select "allowed"."until"
    from "kept_applications" as "allowed"
    where "allowed"."advertiser_id" = "application"."advertiser_id"
    and "allowed"."application_id" = "application"."id"
    and "allowed"."until" >= $3);

-- retention.planErasures
select "id"
  from "advertisers"
  where "id" = $1
  and "retention_months" = $2 for share;
insert into "erasures" ("advertiser_id", "application_id", "due_at", "reason", "ripe_at") select "application"."advertiser_id", "application"."id", cast($1 as bigint) as "due_at", 'retention' as "reason", cast($2 as bigint) as "ripe_at"
  from "applications" as "application"
  where "application"."advertiser_id" = $3
  and "application"."submitted_at" < $4
  and "application"."erased_at" is null
  and not exists (select "allowed"."until"
    from "kept_applications" as "allowed"
    where "allowed"."advertiser_id" = "application"."advertiser_id"
    and "allowed"."application_id" = "application"."id"
    and "allowed"."until" >= $5)
  and not exists (select "hold"."application_id"
    from "application_holds" as "hold"
    where "hold"."advertiser_id" = "application"."advertiser_id"
    and "hold"."application_id" = "application"."id")
  and not exists (select "erasure"."application_id"
    from "erasures" as "erasure"
    where "erasure"."advertiser_id" = "application"."advertiser_id"
    and "erasure"."application_id" = "application"."id"
    and "erasure"."due_at" <= $6
    and (erasure.ripe_at > 0 or erasure.reason <> 'retention'))
  order by "application"."submitted_at", "application"."id"
  limit $7
  on conflict ("advertiser_id", "application_id") do update
  set "due_at" = "excluded"."due_at", "ripe_at" = "excluded"."ripe_at"
  where (erasures.due_at > excluded.due_at or (erasures.ripe_at = 0
      and erasures.reason = 'retention'));

-- retention.remind (the operator's own look-up or list)
update "kept_applications"
  set "reminded_at" = $1
  where "reminded_at" is null
  and ("advertiser_id", "application_id") in (select "advertiser_id", "application_id"
    from "kept_applications"
    where "reminded_at" is null
    and "until" >= $2
    and "until" <= $3
    order by "until"
    limit $4)
  returning "advertiser_id", "application_id";

-- holds.place
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
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
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
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
  and "ripe_at" <= $2
  and (erasures.ripe_at > 0 or erasures.reason <> 'retention')
  and not exists (select "hold"."application_id"
    from "application_holds" as "hold"
    where "hold"."advertiser_id" = "erasures"."advertiser_id"
    and "hold"."application_id" = "erasures"."application_id")
  order by "due_at", "advertiser_id", "application_id"
  limit $3;
select "advertiser_id" as "advertiserId", "application_id" as "applicationId", "due_at" as "dueAt"
  from "erasures"
  where "due_at" <= $1
  and "ripe_at" <= $2
  and (erasures.ripe_at > 0 or erasures.reason <> 'retention')
  and not exists (select "hold"."application_id"
    from "application_holds" as "hold"
    where "hold"."advertiser_id" = "erasures"."advertiser_id"
    and "hold"."application_id" = "erasures"."application_id")
  and ("due_at", "advertiser_id", "application_id") > ($3, $4, $5)
  order by "due_at", "advertiser_id", "application_id"
  limit $6;

-- erasures.erase
select "email", "first_name", "last_name", "job_reference", "erased_at"
  from "applications"
  where "advertiser_id" = $1
  and "id" = $2;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= $1 then (case when version > event_number then version else event_number end) + 1 else $2 end, "version" = case when (case when version > event_number then version else event_number end) >= $3 then (case when version > event_number then version else event_number end) + 1 else $4 end
  where "advertiser_id" = $5
  returning "event_number";
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
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
  and "ripe_at" <= $4
  and (erasures.ripe_at > 0 or erasures.reason <> 'retention')
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
  set "email" = $1, "first_name" = $2, "last_name" = $3, "phone" = $4, "job_title" = $5, "company_name" = $6, "time_in_role_months" = $7, "is_new_to_work_force" = $8, "screen_successful" = $9, "has_virus" = $10, "ad_version" = $11, "erased_at" = $12
  where "advertiser_id" = $13
  and "id" = $14;
delete from "application_history"
  where "advertiser_id" = $1
  and "application_id" = $2;
delete from "application_reads"
  where "advertiser_id" = $1
  and "application_id" = $2;
delete from "application_holds"
  where "advertiser_id" = $1
  and "application_id" = $2;
delete from "kept_applications"
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
  set "due_at" = case when erasures.due_at < excluded.due_at then erasures.due_at else excluded.due_at end, "reason" = excluded.reason, "ripe_at" = case when erasures.due_at < excluded.due_at then erasures.ripe_at else 0 end;
select "id", "client_id" as "clientId", "advertiser_id" as "advertiserId"
  from "prefilled_applications"
  where "candidate_id" = $1;
select "email"
  from "candidates"
  where "id" = $1
  and "email_confirmed_at" is not null;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = $1);
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
delete from "identities"
  where "candidate_id" = $1;
delete from "account_links"
  where "candidate_id" = $1;
delete from "mailbox_passwords"
  where "candidate_id" = $1;
delete from "undo_links"
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
update "drafts"
  set "version" = "version"
  where "candidate_id" = $1
  returning "id";
delete from "draft_files"
  where "draft_id" in ($1)
  returning "blob";
delete from "drafts"
  where "id" in ($1)
  and "candidate_id" = $2;
insert into "loose_blobs" ("blob", "since")
  values ($1, $2)
  on conflict ("blob") do update
  set "since" = case when "loose_blobs"."since" < $3 then $4 else "loose_blobs"."since" + $5 end;
delete from "resumes"
  where "candidate_id" = $1
  returning "blob";
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

-- audit.droppedSeals (the operator's own look-up or list)
select "scope", "month", "first_number" as "firstNumber", "last_number" as "lastNumber", "prev", "hash"
  from "audit_seals"
  where "dropped_at" is not null
  order by "scope", "first_number";

-- audit.scopes (the operator's own look-up or list)
select "scope"
  from "audit_entries"
  union select "scope"
  from "audit_seals";

-- audit.restoredAt (the operator's own look-up or list)
select "value"
  from "meta"
  where "key" = $1;

-- audit.databaseId (the operator's own look-up or list)
select "value"
  from "meta"
  where "key" = $1;

-- failedSignIns.note (counts wrong passwords of everyone who works for a company, an agent or the board)
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

-- demo.world (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "value"
  from "meta"
  where "key" = $1;

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
insert into "job_ads" ("status", "created_at", "updated_at", "id", "title", "location", "description", "reference", "details", "workplace", "employment_types", "has_pay", "advertiser_id", "screen_id", "closing_date", "search_text")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- demo.listRedirectUris (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "client_id" as "clientId", "uri"
  from "oauth_redirect_uris";

-- demo.keepHooks (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
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
  from "draft_files"
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
delete from "service_clock";
delete from "untold_withdrawals";
delete from "memberships";
delete from "agent_invitations";
delete from "agent_call_days";
delete from "agent_members";
delete from "deliveries";
delete from "erasures";
delete from "application_holds";
delete from "kept_applications";
delete from "recent_decisions";
delete from "application_history";
delete from "application_reads";
delete from "list_reads";
delete from "application_counts";
delete from "application_terms";
delete from "draft_files";
delete from "drafts";
delete from "own_applications";
delete from "intake_applications";
delete from "ad_decisions";
delete from "job_reports";
delete from "ad_versions";
delete from "job_ads";
delete from "screens";
delete from "application_pieces";
delete from "application_screens";
delete from "application_files";
delete from "applications";
delete from "disclosures";
delete from "prefill_progress";
delete from "prefilled_applications";
delete from "released_resumes";
delete from "oauth_tokens";
delete from "oauth_codes";
delete from "grants";
delete from "sessions";
delete from "totp_factors";
delete from "passkeys";
delete from "recovery_codes";
delete from "identities";
delete from "account_links";
delete from "email_codes";
delete from "mailbox_passwords";
delete from "undo_links";
delete from "sign_in_failures";
delete from "mail_counts";
delete from "demo_outbox";
delete from "loose_blobs";
delete from "list_entries";
delete from "import_refusals";
delete from "imports";
delete from "leases";
delete from "resumes";
delete from "candidates";
delete from "intake_keys";
delete from "client_changes";
delete from "client_logos";
delete from "advertiser_logos";
delete from "privacy_notices";
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
