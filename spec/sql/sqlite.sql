-- advertisers.add (the operator's own look-up or list)
insert into "advertisers" ("id", "name", "status", "created_at", "time_zone")
  values ((select coalesce(max(id) + 1, ?)
      from advertisers), ?, ?, ?, ?)
  on conflict ("id") do nothing
  returning "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons";
insert into "advertiser_ledger" ("advertiser_id", "last_submitted_at", "version")
  values (?, ?, ?);
insert into "advertisers" ("id", "name", "status", "created_at", "time_zone")
  values (?, ?, ?, ?, ?)
  on conflict ("id") do nothing
  returning "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons";

-- advertisers.list (the operator's own look-up or list)
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  order by "id";

-- advertisers.find
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = ?;

-- advertisers.setRequiresFactor
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = ?;
update "advertisers"
  set "requires_factor" = ?
  where "id" = ?;

-- advertisers.telling
select "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = ?;

-- advertisers.setTelling
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = ?;
update "advertisers"
  set "candidate_emails" = ?
  where "id" = ?;
update "advertisers"
  set "shows_reasons" = ?
  where "id" = ?;

-- privacyNotices.list
select "id"
  from "advertisers"
  where "id" = ?;
select "version", "url", "content", "created_at" as "createdAt"
  from "privacy_notices"
  where "advertiser_id" = ?
  order by "version" desc
  limit ?;
insert into "privacy_notices" ("advertiser_id", "version", "url", "content", "created_at")
  values (?, ?, ?, ?, ?);

-- privacyNotices.find
select "id"
  from "advertisers"
  where "id" = ?;
select "version", "url", "content", "created_at" as "createdAt"
  from "privacy_notices"
  where "advertiser_id" = ?
  order by "version" desc
  limit ?;
insert into "privacy_notices" ("advertiser_id", "version", "url", "content", "created_at")
  values (?, ?, ?, ?, ?);
select "notice"."version", "notice"."url", "notice"."content", "notice"."created_at" as "createdAt", "advertiser"."name" as "advertiserName"
  from "privacy_notices" as "notice"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "notice"."advertiser_id"
  where "notice"."advertiser_id" = ?
  and "notice"."version" = ?;

-- privacyNotices.add
select "id"
  from "advertisers"
  where "id" = ?;
select "version", "url", "content", "created_at" as "createdAt"
  from "privacy_notices"
  where "advertiser_id" = ?
  order by "version" desc
  limit ?;
insert into "privacy_notices" ("advertiser_id", "version", "url", "content", "created_at")
  values (?, ?, ?, ?, ?);

-- advertisers.setTimeZone (the operator's own look-up or list)
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = ?;
update "advertisers"
  set "time_zone" = ?
  where "id" = ?;

-- advertisers.setAnswerDays
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = ?;
update "advertisers"
  set "answer_days" = ?
  where "id" = ?;

-- advertisers.setKeepMonths
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = ?;
update "advertisers"
  set "keep_months" = ?
  where "id" = ?;

-- advertisers.setStatus
select "id", "name", "status", "created_at", "time_zone", "requires_factor", "answer_days", "keep_months", "candidate_emails", "shows_reasons"
  from "advertisers"
  where "id" = ?;
update "advertisers"
  set "status" = ?
  where "id" = ?;

-- logos.find (logos are public)
select "type", "content"
  from "advertiser_logos"
  where "hash" = ?
  union all select "type", "content"
  from "client_logos"
  where "hash" = ?
  limit ?;

-- logos.setOfAdvertiser
update "advertisers"
  set logo_hash = ?
  where "id" = ?;
delete from "advertiser_logos"
  where "advertiser_id" = ?;
insert into "advertiser_logos" ("advertiser_id", hash, type, content)
  values (?, ?, ?, ?);

-- logos.setOfClient
update "oauth_clients"
  set logo_hash = ?
  where "id" = ?;
delete from "client_logos"
  where "client_id" = ?;
insert into "client_logos" ("client_id", hash, type, content)
  values (?, ?, ?, ?);

-- credentials.findOwner (the secret is what says who asks)
select "credential"."id" as "credentialId", "advertiser"."id" as "advertiserId", "advertiser"."status" as "advertiserStatus", "credential"."expires_at" as "expiresAt", "credential"."revoked_at" as "revokedAt", "credential"."last_used_at" as "lastUsedAt", "credential"."manages_webhooks" as "managesWebhooks", "ledger"."version", "ledger"."event_number" as "eventNumber"
  from "sws_credentials" as "credential"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "credential"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "credential"."advertiser_id"
  where "credential"."hash" = ?;

-- credentials.advertiserOf (the operator's own look-up or list)
select "advertiser_id"
  from "sws_credentials"
  where "id" = ?;

-- credentials.add
insert into "sws_credentials" ("id", "advertiser_id", "hash", "hint", "label", "created_at", "expires_at", "manages_webhooks")
  values (?, ?, ?, ?, ?, ?, ?, ?);

-- credentials.list
select "id", "hint", "label", "created_at" as "createdAt", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "last_used_at" as "lastUsedAt", "manages_webhooks" as "managesWebhooks"
  from "sws_credentials"
  where "advertiser_id" = ?
  order by "created_at", "id";

-- credentials.revoke
update "sws_credentials"
  set "revoked_at" = ?
  where "advertiser_id" = ?
  and "id" = ?
  and "revoked_at" is null
  returning "id", "hint", "label", "created_at" as "createdAt", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "last_used_at" as "lastUsedAt", "manages_webhooks" as "managesWebhooks";
insert into "tombstones" ("id", "content")
  values (?, ?);

-- credentials.recordUse
update "sws_credentials"
  set "last_used_at" = ?
  where "advertiser_id" = ?
  and "id" = ?
  and ("last_used_at" is null or "last_used_at" <= ?);

-- submissions.add
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > ? then last_submitted_at else ? end, "version" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end, "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "last_submitted_at", "event_number", null as "id", null as "server";
update counters
  set value = value + 1
  where name = 'application_ids'
  returning value as id;
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values (?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
insert into "application_terms" ("advertiser_id", "term", "application_id") select ?, value, ?
  from json_each(?);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = application_counts.applications + 1;

-- applications.resolveBounds
select (select "id"
    from "applications"
    where "advertiser_id" = ?
    order by "id" desc
    limit ?) as "newest", null as "after", null as "before";
select (select "id"
    from "applications"
    where "advertiser_id" = ?
    order by "id" desc
    limit ?) as "newest", (select "id"
    from "applications"
    where "advertiser_id" = ?
    and "submitted_at" <= ?
    order by "submitted_at" desc, "id" desc
    limit ?) as "after", (select "id"
    from "applications"
    where "advertiser_id" = ?
    and "submitted_at" >= ?
    order by "submitted_at", "id"
    limit ?) as "before";

-- applications.whenDurable


-- applications.page
select "content", "count", "lastId", exists (select 1 as "one"
    from "application_pieces"
    where "advertiser_id" = ?
    and "format" = 'json'
    and "id" < ?
    and "id" > "page"."lastId") as "hasMore"
  from (select cast(? || string_agg(piece, '},') || ? as blob) as "content", count(*) as "count", max("id") as "lastId"
    from (select "id", "body" as "piece"
      from "application_pieces"
      where "advertiser_id" = ?
      and "format" = 'json'
      and "id" < ?
      and "id" > ?
      order by "id"
      limit ? + 0) as "pieces") as "page";
select "content", "count", "lastId", exists (select 1 as "one"
    from "application_pieces"
    where "advertiser_id" = ?
    and "format" = 'json'
    and "id" < ?
    and "id" > "page"."lastId") as "hasMore"
  from (select cast(? || string_agg(piece, '},') || ? as blob) as "content", count(*) as "count", max("id") as "lastId"
    from (select "id", body || primary_info as "piece"
      from "application_pieces"
      where "advertiser_id" = ?
      and "format" = 'json'
      and "id" < ?
      and "id" > ?
      order by "id"
      limit ? + 0) as "pieces") as "page";
select "content", "count", "lastId", exists (select 1 as "one"
    from "application_pieces"
    where "advertiser_id" = ?
    and "format" = 'xml'
    and "id" < ?
    and "id" > "page"."lastId") as "hasMore"
  from (select cast(? || string_agg(piece, '</JobApplication>') || ? as blob) as "content", count(*) as "count", max("id") as "lastId"
    from (select "id", "body" as "piece"
      from "application_pieces"
      where "advertiser_id" = ?
      and "format" = 'xml'
      and "id" < ?
      and "id" > ?
      order by "id"
      limit ? + 0) as "pieces") as "page";
select "content", "count", "lastId", exists (select 1 as "one"
    from "application_pieces"
    where "advertiser_id" = ?
    and "format" = 'xml'
    and "id" < ?
    and "id" > "page"."lastId") as "hasMore"
  from (select cast(? || string_agg(piece, '</JobApplication>') || ? as blob) as "content", count(*) as "count", max("id") as "lastId"
    from (select "id", body || primary_info as "piece"
      from "application_pieces"
      where "advertiser_id" = ?
      and "format" = 'xml'
      and "id" < ?
      and "id" > ?
      order by "id"
      limit ? + 0) as "pieces") as "page";

-- applications.file
select "type", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan", case when (exists (select "candidate_id"
      from "own_applications"
      where "advertiser_id" = ?
      and "application_id" = ?)
    and not exists (select "day"
      from "application_reads"
      where "advertiser_id" = ?
      and "application_id" = ?)) then 1 else 0 end as "isReplaceable"
  from "application_files"
  where "advertiser_id" = ?
  and "application_id" = ?
  and "type" = ?;

-- applications.screen
select "json" as "text"
  from "application_screens"
  where "advertiser_id" = ?
  and "application_id" = ?;
select "xml" as "text"
  from "application_screens"
  where "advertiser_id" = ?
  and "application_id" = ?;

-- applications.recordVerdict
select "type", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan", case when (exists (select "candidate_id"
      from "own_applications"
      where "advertiser_id" = ?
      and "application_id" = ?)
    and not exists (select "day"
      from "application_reads"
      where "advertiser_id" = ?
      and "application_id" = ?)) then 1 else 0 end as "isReplaceable"
  from "application_files"
  where "advertiser_id" = ?
  and "application_id" = ?
  and "type" = ?;
select "blob", "scan"
  from "application_files"
  where "advertiser_id" = ?
  and "application_id" = ?
  and "type" = ?
  and "scan" in (?, ?)
  and "blob" = ?;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end, "version" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "event_number";
update "application_files"
  set "scan" = ?, "not_judged" = ?, "changed_at" = ?
  where "advertiser_id" = ?
  and "application_id" = ?
  and "type" = ?
  and "scan" in (?, ?)
  and "blob" = ?;
select "advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "erased_at", "status"
  from "applications"
  where "advertiser_id" = ?
  and "id" = ?;
select "type", "sha256", "size", "scan", "uploaded_at" as "uploadedAt"
  from "application_files"
  where "advertiser_id" = ?
  and "application_id" = ?;
select "sha256", "size"
  from "application_screens"
  where "advertiser_id" = ?
  and "application_id" = ?;
update "application_pieces"
  set "body" = ?, "primary_info" = ?
  where "advertiser_id" = ?
  and "format" = ?
  and "id" = ?;
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
update "application_files"
  set "scan" = ?, "not_judged" = ?, "changed_at" = ?, "blob" = ?, "sha256" = ?, "size" = ?
  where "advertiser_id" = ?
  and "application_id" = ?
  and "type" = ?
  and "scan" in (?, ?)
  and "blob" = ?;
insert into "loose_blobs" ("blob", "since")
  values (?, ?)
  on conflict ("blob") do update
  set "since" = case when "loose_blobs"."since" < ? then ? else "loose_blobs"."since" + ? end;
update "applications"
  set "has_virus" = ?
  where "advertiser_id" = ?
  and "id" = ?;

-- progress.activities
select "number", "type", "detail"
  from "events"
  where "advertiser_id" = ?
  and likelihood(application_id = ?, 0.00001)
  and "type" > 2;
select "reader", min("at") as "at"
  from (select "reader", "first_at" as "at"
    from "application_reads"
    where "advertiser_id" = ?
    and "application_id" = ?
    union all select "reader", "first_at" as "at"
    from "list_reads"
    where "advertiser_id" = ?
    and "day" >= ?
    and "first_id" <= ?
    and "last_id" >= ?) as "read"
  where "reader" not like 'member:%' group by "reader";

-- blobReferences.page (the operator's check of the files, whoever they belong to)
select *
  from (select *
    from (select distinct "blob", "sha256", "size"
      from "application_files"
      where "blob" > ?
      order by "blob"
      limit ?) as "application_files"
    union select *
    from (select distinct "blob", "sha256", "size"
      from "resumes"
      where "blob" > ?
      order by "blob"
      limit ?) as "resumes"
    union select *
    from (select distinct "blob", "sha256", "size"
      from "draft_files"
      where "blob" > ?
      order by "blob"
      limit ?) as "draft_files") as "file"
  order by "blob"
  limit ?;

-- agents.add (the operator's own look-up or list)
insert into "agents" ("id", "name", "created_at")
  values ((select coalesce(max(id) + 1, ?)
      from agents), ?, ?)
  on conflict ("id") do nothing
  returning "id", "name", "created_at" as "createdAt";
insert into "agents" ("id", "name", "created_at")
  values (?, ?, ?)
  on conflict ("id") do nothing
  returning "id", "name", "created_at" as "createdAt";

-- agents.list (the operator's own look-up or list)
select "agent"."id", "agent"."name", "agent"."created_at", "authorisation"."advertiser_id"
  from "agents" as "agent" left join "agent_authorisations" as "authorisation" on "authorisation"."agent_id" = "agent"."id"
  order by "agent"."id", "authorisation"."advertiser_id";

-- agents.find (the operator's own look-up or list)
select "id", "name", "created_at" as "createdAt"
  from "agents"
  where "id" = ?;

-- agents.listFor
select "agent"."id", "agent"."name", "authorisation"."authorised_at" as "authorisedAt", "authorisation"."progress_granted_at" as "progressGrantedAt"
  from "agents" as "agent" left join "agent_authorisations" as "authorisation" on "authorisation"."agent_id" = "agent"."id"
  and "authorisation"."advertiser_id" = ?
  order by "agent"."name", "agent"."id";

-- agents.authorise
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "event_number";
update "agents"
  set "last_authorised_at" = case when "last_authorised_at" >= ? then "last_authorised_at" + ? else ? end
  where "id" = ?
  returning "last_authorised_at";
insert into "agent_authorisations" ("advertiser_id", "agent_id", "authorised_at")
  values (?, ?, ?)
  on conflict ("advertiser_id", "agent_id") do nothing;

-- adVersions.keepNext
select "id"
  from "advertisers"
  where "id" = ?;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = ?
  and "ad"."hold" is null
  and ("ad"."status" = ? or "newest"."version" is null)
  and "ad"."id" > ?
  order by "ad"."id"
  limit ?;
update "ad_versions"
  set "replaced_at" = ?
  where "advertiser_id" = ?
  and "job_ad_id" = ?
  and "version" = ?;
insert into "ad_versions" ("advertiser_id", "job_ad_id", "version", "content", "hash", "created_at")
  values (?, ?, ?, ?, ?, ?);

-- adVersions.list
select "job_ad_id" as "jobAdId", "version", "created_at" as "createdAt", "replaced_at" as "replacedAt", "content"
  from "ad_versions"
  where "advertiser_id" = ?
  and ("job_ad_id", "version") > (?, ?)
  order by "job_ad_id", "version"
  limit ?;

-- reports.add (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);

-- reports.find (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "report"."id", "report"."job_ad_id" as "jobAdId", "report"."reason", "report"."details", "report"."email", "report"."reported_at" as "reportedAt", "report"."outcome", "report"."last_at" as "lastAt", "ad"."title", "advertiser"."name" as "advertiserName"
  from "job_reports" as "report"
  inner join "job_ads" as "ad" on "ad"."id" = "report"."job_ad_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "report"."advertiser_id"
  where "report"."id" = ?;

-- reports.open (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "report"."id", "report"."job_ad_id" as "jobAdId", "report"."reason", "report"."details", "report"."email", "report"."reported_at" as "reportedAt", "report"."outcome", "report"."last_at" as "lastAt"
  from "job_reports" as "report"
  where report.outcome is null
  order by "report"."reported_at"
  limit ?;
select "ad"."id", "ad"."advertiser_id", "ad"."title", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "advertiser"."name"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  where "ad"."id" in (?);

-- reports.onHold (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "ad"."id", "ad"."advertiser_id", "ad"."title", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "advertiser"."name"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  where ad.hold is not null
  and "ad"."hold" = ?
  order by "ad"."id" asc
  limit ?;
select "ad"."id", "ad"."advertiser_id", "ad"."title", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "advertiser"."name"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  where ad.hold is not null
  and "ad"."hold" = ?
  order by "ad"."id" desc
  limit ?;

-- reports.ad (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "ad"."id", "ad"."advertiser_id", "ad"."title", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "advertiser"."name", "ad"."location", "ad"."description", "ad"."status", "ad"."updated_at" as "updatedAt"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  where "ad"."id" = ?;
select "report"."id", "report"."job_ad_id" as "jobAdId", "report"."reason", "report"."details", "report"."email", "report"."reported_at" as "reportedAt", "report"."outcome", "report"."last_at" as "lastAt"
  from "job_reports" as "report"
  where "report"."job_ad_id" = ?
  order by "report"."reported_at" desc
  limit ?;
select "act", "reason", "actor", "decided_at" as "at"
  from "ad_decisions"
  where "job_ad_id" = ?
  order by "number" desc
  limit ?;

-- reports.counts (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select count(*) as "count"
  from "job_reports"
  where outcome is null;
select count(*) as "count"
  from "job_ads"
  where hold is not null
  and "hold" = ?;

-- reports.hold (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = ?
  and "ad"."hold" is null
  and ("ad"."status" = ? or "newest"."version" is null)
  and "ad"."id" > ?
  and "ad"."id" = ?
  order by "ad"."id"
  limit ?;
update "job_ads"
  set "hold" = ?, "hold_reason" = ?, "held_at" = ?
  where "advertiser_id" = ?
  and "id" = ?;
update "job_reports"
  set "outcome" = ?, "last_at" = ?
  where "job_ad_id" = ?
  and "outcome" is null
  returning "id", "email";
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?);
insert into "ad_decisions" ("job_ad_id", "number", "act", "reason", "actor", "decided_at")
  values (?, (select coalesce(max(number), 0) + 1
      from ad_decisions
      where job_ad_id = ?), ?, ?, ?, ?);

-- reports.release (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = ?
  and "ad"."hold" is null
  and ("ad"."status" = ? or "newest"."version" is null)
  and "ad"."id" > ?
  and "ad"."id" = ?
  order by "ad"."id"
  limit ?;
update "job_ads"
  set "hold" = ?, "hold_reason" = ?, "held_at" = ?
  where "advertiser_id" = ?
  and "id" = ?;
update "job_reports"
  set "outcome" = ?, "last_at" = ?
  where "job_ad_id" = ?
  and "outcome" is null
  returning "id", "email";
insert into "ad_decisions" ("job_ad_id", "number", "act", "reason", "actor", "decided_at")
  values (?, (select coalesce(max(number), 0) + 1
      from ad_decisions
      where job_ad_id = ?), ?, ?, ?, ?);
update "job_ads"
  set "hold" = ?, "hold_reason" = ?, "held_at" = ?, "approved_at" = ?
  where "advertiser_id" = ?
  and "id" = ?;

-- reports.dismiss (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
update "job_reports"
  set "outcome" = ?, "last_at" = ?
  where "job_ad_id" = ?
  and "outcome" is null
  and "id" in (?)
  returning "id", "email";
insert into "ad_decisions" ("job_ad_id", "number", "act", "reason", "actor", "decided_at")
  values (?, (select coalesce(max(number), 0) + 1
      from ad_decisions
      where job_ad_id = ?), ?, ?, ?, ?);

-- reports.forgetAddress (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "hold", "updated_at" as "updatedAt"
  from "job_ads"
  where "id" = ?;
select "id"
  from "advertisers"
  where "id" = ?;
insert into "job_reports" ("id", "advertiser_id", "job_ad_id", "reason", "details", "email", "reported_at", "last_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
update "job_reports"
  set "email" = ?
  where "email" in (?, ?, ?, ?, ?, ?, ?, ?, ?)
  returning "id";
insert into "tombstones" ("id", "content")
  values (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?);

-- jobAds.add
select "id"
  from "advertisers"
  where "id" = ?;
update counters
  set value = value + 1
  where name = 'job_ad_ids'
  returning value as id;
select "name"
  from "advertisers"
  where "id" = ?;
insert into "job_ads" ("advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "search_text", "details", "workplace", "employment_types", "has_pay", "status", "created_at", "updated_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
  where "ad"."advertiser_id" = ?
  and "ad"."hold" is null
  and ("ad"."status" = ? or "newest"."version" is null)
  and "ad"."id" > ?
  and "ad"."id" = ?
  order by "ad"."id"
  limit ?;
insert into "ad_versions" ("advertiser_id", "job_ad_id", "version", "content", "hash", "created_at")
  values (?, ?, ?, ?, ?, ?);

-- jobAds.addOnce
insert into "intake_keys" ("client_id", "key", "claim", "expires_at", "held_until")
  values (?, ?, ?, ?, cast(unixepoch('subsec') * 1000 as integer) + ?)
  on conflict ("client_id", "key") do update
  set "claim" = ?, "expires_at" = ?, "held_until" = cast(unixepoch('subsec') * 1000 as integer) + ?, "content_hash" = ?, "answer" = ?
  where ("intake_keys"."expires_at" <= ? or ("intake_keys"."answer" is null
      and "intake_keys"."held_until" <= cast(unixepoch('subsec') * 1000 as integer)));
select "id"
  from "advertisers"
  where "id" = ?;
update counters
  set value = value + 1
  where name = 'job_ad_ids'
  returning value as id;
select "name"
  from "advertisers"
  where "id" = ?;
insert into "job_ads" ("advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "search_text", "details", "workplace", "employment_types", "has_pay", "status", "created_at", "updated_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
  where "ad"."advertiser_id" = ?
  and "ad"."hold" is null
  and ("ad"."status" = ? or "newest"."version" is null)
  and "ad"."id" > ?
  and "ad"."id" = ?
  order by "ad"."id"
  limit ?;
insert into "ad_versions" ("advertiser_id", "job_ad_id", "version", "content", "hash", "created_at")
  values (?, ?, ?, ?, ?, ?);
update "intake_keys"
  set "content_hash" = ?, "answer" = ?, "expires_at" = ?, "held_until" = ?
  where "client_id" = ?
  and "key" = ?;
select "content_hash", "answer", "expires_at", held_until - cast(unixepoch('subsec') * 1000 as integer) as "held_ms"
  from "intake_keys"
  where "client_id" = ?
  and "key" = ?
  and "expires_at" > ?;

-- screens.addOnce
insert into "intake_keys" ("client_id", "key", "claim", "expires_at", "held_until")
  values (?, ?, ?, ?, cast(unixepoch('subsec') * 1000 as integer) + ?)
  on conflict ("client_id", "key") do update
  set "claim" = ?, "expires_at" = ?, "held_until" = cast(unixepoch('subsec') * 1000 as integer) + ?, "content_hash" = ?, "answer" = ?
  where ("intake_keys"."expires_at" <= ? or ("intake_keys"."answer" is null
      and "intake_keys"."held_until" <= cast(unixepoch('subsec') * 1000 as integer)));
select "id"
  from "advertisers"
  where "id" = ?;
update counters
  set value = value + 1
  where name = 'screen_ids'
  returning value as id;
insert into "screens" ("advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at")
  values (?, ?, ?, ?, ?, ?, ?)
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";
update "intake_keys"
  set "content_hash" = ?, "answer" = ?, "expires_at" = ?, "held_until" = ?
  where "client_id" = ?
  and "key" = ?;

-- jobAds.find
select "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details"
  from "job_ads"
  where "advertiser_id" = ?
  and "id" = ?;

-- jobAds.list
select "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details"
  from "job_ads"
  where "advertiser_id" = ?
  and "id" > ?
  order by "id"
  limit ?;
select "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details"
  from "job_ads"
  where "advertiser_id" = ?
  and "reference" = ?
  and "id" > ?
  order by "id"
  limit ?;

-- postingLists.jobAds
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."hold" as "hold", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = ?
  and "ad"."id" < ?
  order by "ad"."id" desc
  limit ?;
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."hold" as "hold", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = ?
  and "ad"."id" < ?
  and ("ad"."status" <> ?
    and "ad"."hold" is null
    and ("ad"."closing_date" is null or "ad"."closing_date" >= ?))
  order by "ad"."id" desc
  limit ?;
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."hold" as "hold", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = ?
  and "ad"."id" < ?
  and ("ad"."status" = ? or "ad"."hold" is not null or "ad"."closing_date" < ?)
  order by "ad"."id" desc
  limit ?;
select "ad"."id" as "id", "ad"."advertiser_id" as "advertiserId", "ad"."title" as "title", "ad"."location" as "location", "ad"."reference" as "reference", "ad"."screen_id" as "screenId", "ad"."closing_date" as "closingDate", "ad"."status" as "status", "ad"."hold" as "hold", "ad"."created_at" as "createdAt", "ad"."updated_at" as "updatedAt", "screen"."name" as "screenName"
  from "job_ads" as "ad" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id"
  where "ad"."advertiser_id" = ?
  and "ad"."id" > ?
  order by "ad"."id" asc
  limit ?;

-- postingLists.adsOfAestDays
select "ad"."id", "ad"."title", "ad"."closing_date" as "closingDate"
  from "job_ads" as "ad"
  inner join "meta" on "meta"."key" = 'aest-ads-until'
  where "ad"."advertiser_id" = ?
  and ("ad"."status" <> ?
    and "ad"."hold" is null
    and ("ad"."closing_date" is null or "ad"."closing_date" >= ?))
  and "ad"."closing_date" is not null
  and ad.updated_at <= cast(meta.value as bigint)
  order by "ad"."closing_date", "ad"."id"
  limit ?;

-- postingLists.screens
select "screen"."id" as "id", "screen"."name" as "name", "screen"."status" as "status", "screen"."updated_at" as "updatedAt", json_array_length(screen.questions) as "questionCount", (select count(*) as "count"
    from "job_ads" as "ad"
    where "ad"."advertiser_id" = "screen"."advertiser_id"
    and "ad"."screen_id" = "screen"."id") as "adCount"
  from "screens" as "screen"
  where "screen"."advertiser_id" = ?
  and "screen"."id" < ?
  order by "screen"."id" desc
  limit ?;
select "screen"."id" as "id", "screen"."name" as "name", "screen"."status" as "status", "screen"."updated_at" as "updatedAt", json_array_length(screen.questions) as "questionCount", (select count(*) as "count"
    from "job_ads" as "ad"
    where "ad"."advertiser_id" = "screen"."advertiser_id"
    and "ad"."screen_id" = "screen"."id") as "adCount"
  from "screens" as "screen"
  where "screen"."advertiser_id" = ?
  and "screen"."id" < ?
  and "screen"."status" = ?
  order by "screen"."id" desc
  limit ?;
select "screen"."id" as "id", "screen"."name" as "name", "screen"."status" as "status", "screen"."updated_at" as "updatedAt", json_array_length(screen.questions) as "questionCount", (select count(*) as "count"
    from "job_ads" as "ad"
    where "ad"."advertiser_id" = "screen"."advertiser_id"
    and "ad"."screen_id" = "screen"."id") as "adCount"
  from "screens" as "screen"
  where "screen"."advertiser_id" = ?
  and "screen"."id" > ?
  order by "screen"."id" asc
  limit ?;

-- postingLists.openScreens
select "id", "name"
  from "screens"
  where "advertiser_id" = ?
  and "status" = ?
  order by "id" desc
  limit ?;

-- postingLists.adsWithScreen
select "id", "title", "status"
  from "job_ads"
  where "advertiser_id" = ?
  and "screen_id" = ?
  order by "id" desc
  limit ?;

-- jobAds.update
select "id"
  from "advertisers"
  where "id" = ?;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = ?
  and "ad"."hold" is null
  and ("ad"."status" = ? or "newest"."version" is null)
  and "ad"."id" > ?
  and "ad"."id" = ?
  order by "ad"."id"
  limit ?;
select "name"
  from "advertisers"
  where "id" = ?;
update "job_ads"
  set "title" = ?, "location" = ?, "description" = ?, "reference" = ?, "screen_id" = ?, "closing_date" = ?, "search_text" = ?, "details" = ?, "workplace" = ?, "employment_types" = ?, "has_pay" = ?, "updated_at" = case when updated_at < ? then ? else updated_at + 1 end
  where "advertiser_id" = ?
  and "id" = ?
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details";
update "ad_versions"
  set "replaced_at" = ?
  where "advertiser_id" = ?
  and "job_ad_id" = ?
  and "version" = ?;
insert into "ad_versions" ("advertiser_id", "job_ad_id", "version", "content", "hash", "created_at")
  values (?, ?, ?, ?, ?, ?);
update "job_ads"
  set "title" = ?, "location" = ?, "description" = ?, "reference" = ?, "screen_id" = ?, "closing_date" = ?, "search_text" = ?, "details" = ?, "workplace" = ?, "employment_types" = ?, "has_pay" = ?, "updated_at" = case when updated_at < ? then ? else updated_at + 1 end
  where "advertiser_id" = ?
  and "id" = ?
  and "updated_at" = ?
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details";

-- jobAds.setStatus
select "id"
  from "advertisers"
  where "id" = ?;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = ?
  and "ad"."hold" is null
  and ("ad"."status" = ? or "newest"."version" is null)
  and "ad"."id" > ?
  and "ad"."id" = ?
  order by "ad"."id"
  limit ?;
update "job_ads"
  set "status" = ?, "updated_at" = case when updated_at < ? then ? else updated_at + 1 end
  where "advertiser_id" = ?
  and "id" = ?
  and "status" != ?
  returning "advertiser_id", "id", "title", "location", "description", "reference", "screen_id", "closing_date", "status", "created_at", "updated_at", "search_text", "hold", "hold_reason", "held_at", "details";

-- screens.add
select "id"
  from "advertisers"
  where "id" = ?;
update counters
  set value = value + 1
  where name = 'screen_ids'
  returning value as id;
insert into "screens" ("advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at")
  values (?, ?, ?, ?, ?, ?, ?)
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";

-- screens.find
select "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at"
  from "screens"
  where "advertiser_id" = ?
  and "id" = ?;

-- screens.list
select "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at"
  from "screens"
  where "advertiser_id" = ?
  and "id" > ?
  order by "id"
  limit ?;

-- screens.update
select "id"
  from "advertisers"
  where "id" = ?;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = ?
  and "ad"."hold" is null
  and ("ad"."status" = ? or "newest"."version" is null)
  and "ad"."id" > ?
  and "ad"."screen_id" = ?
  order by "ad"."id"
  limit ?;
update "screens"
  set "name" = ?, "questions" = ?, "updated_at" = case when updated_at < ? then ? else updated_at + 1 end
  where "advertiser_id" = ?
  and "id" = ?
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";
update "screens"
  set "name" = ?, "questions" = ?, "updated_at" = case when updated_at < ? then ? else updated_at + 1 end
  where "advertiser_id" = ?
  and "id" = ?
  and "updated_at" = ?
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";

-- screens.setStatus
select "id"
  from "advertisers"
  where "id" = ?;
select "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."closing_date", "ad"."details", "ad"."screen_id", "screen"."name", "screen"."questions", "newest"."version", "newest"."hash", "newest"."content" as "newest_content", "newest"."created_at" as "newest_at", "advertiser"."time_zone", "ad"."updated_at", "ad"."approved_at", "screen"."updated_at" as "asked_at"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id" left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "ad_versions" as "newest" on "newest"."advertiser_id" = "ad"."advertiser_id"
  and "newest"."job_ad_id" = "ad"."id"
  and "newest"."version" = (select max("each"."version") as "version"
    from "ad_versions" as "each"
    where "each"."advertiser_id" = "ad"."advertiser_id"
    and "each"."job_ad_id" = "ad"."id")
  where "ad"."advertiser_id" = ?
  and "ad"."hold" is null
  and ("ad"."status" = ? or "newest"."version" is null)
  and "ad"."id" > ?
  and "ad"."screen_id" = ?
  order by "ad"."id"
  limit ?;
update "screens"
  set "status" = ?, "updated_at" = case when updated_at < ? then ? else updated_at + 1 end
  where "advertiser_id" = ?
  and "id" = ?
  and "status" != ?
  returning "advertiser_id", "id", "name", "questions", "status", "created_at", "updated_at";

-- jobBoard.find (what is advertised is for everybody)
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone", "screen"."name" as "screen_name", "screen"."questions" as "screen_questions", "advertiser"."retention_choice" as "retentionChoice", "advertiser"."keep_months" as "keepMonths", "notice"."version" as "notice_version", "notice"."url" as "notice_url"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = ? left join "screens" as "screen" on "screen"."advertiser_id" = "ad"."advertiser_id"
  and "screen"."id" = "ad"."screen_id" left join "privacy_notices" as "notice" on "notice"."advertiser_id" = "ad"."advertiser_id"
  and "notice"."version" = (select max("newest"."version") as "version"
    from "privacy_notices" as "newest"
    where "newest"."advertiser_id" = "ad"."advertiser_id")
  and ("notice"."url" is not null or "notice"."content" is not null)
  where ad.hold is null
  and "ad"."id" = ?;

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
    and "advertiser"."status" = ?
    where ad.hold is null
    and ad.status = 'open'
    and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(? ->> advertiser.time_zone, ?))
    order by "ad"."id" desc
    limit ?) as "newest" group by "advertiser_id", "name", "logo_hash"
  order by max("newest"."id") desc
  limit ?;

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
    and "advertiser"."status" = ?
    where ad.hold is null
    and ad.status = 'open'
    and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(? ->> advertiser.time_zone, ?))
    limit ?) as "found";

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
  and "advertiser"."status" = ?
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(? ->> advertiser.time_zone, ?))
  and "ad"."id" < ?
  order by "ad"."id" desc
  limit ?;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = ?
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(? ->> advertiser.time_zone, ?))
  and ad.search_text like ? escape '!'
  and ad.search_text like ? escape '!'
  and "ad"."id" < ?
  order by "ad"."id" desc
  limit ?;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = ?
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(? ->> advertiser.time_zone, ?))
  and ad.workplace = 'remote'
  and "ad"."id" < ?
  order by "ad"."id" desc
  limit ?;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = ?
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(? ->> advertiser.time_zone, ?))
  and ad.employment_types like ?
  and "ad"."id" < ?
  order by "ad"."id" desc
  limit ?;
select "ad"."advertiser_id", "ad"."id", "ad"."title", "ad"."location", "ad"."description", "ad"."reference", "ad"."screen_id", "ad"."closing_date", "ad"."status", "ad"."created_at", "ad"."updated_at", "ad"."search_text", "ad"."hold", "ad"."hold_reason", "ad"."held_at", "ad"."details", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone"
  from "job_ads" as "ad"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "ad"."advertiser_id"
  and "advertiser"."status" = ?
  where ad.hold is null
  and ad.status = 'open'
  and ("ad"."closing_date" is null or "ad"."closing_date" >= coalesce(? ->> advertiser.time_zone, ?))
  and ad.has_pay = 1
  and "ad"."id" < ?
  order by "ad"."id" desc
  limit ?;

-- progress.open
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "kind" = ? group by "application_id";
update "applications"
  set "status" = ?
  where "advertiser_id" = ?
  and "id" in (?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?), (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "counted_at", "kind", "former", "status", "actor_id", "label", "reason")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end + ?
  where "advertiser_id" = ?
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and ("held_until" is not null or "delivery_id" is not null);

-- progress.setStatus
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "position" >= ?;
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "kind" = ? group by "application_id";
update "applications"
  set "status" = ?
  where "advertiser_id" = ?
  and "id" in (?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?), (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "counted_at", "kind", "former", "status", "actor_id", "label", "reason")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end + ?
  where "advertiser_id" = ?
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and ("held_until" is not null or "delivery_id" is not null);
select "candidate_emails"
  from "advertisers"
  where "id" = ?;
select "application_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "status" = ?
  and "decided_at" > ?
  limit ?;
select "candidate_id" as "candidateId", "application_id" as "applicationId"
  from "own_applications"
  where "advertiser_id" = ?
  and "application_id" in (?);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
insert into "recent_decisions" ("advertiser_id", "application_id", "former", "status", "decided_at", "held_until", "delivery_id")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("advertiser_id", "application_id") do update
  set "former" = "excluded"."former", "status" = "excluded"."status", "decided_at" = "excluded"."decided_at", "held_until" = "excluded"."held_until", "delivery_id" = "excluded"."delivery_id";
insert into "application_history" ("advertiser_id", "position", "at", "actor_id", "application_id", "kind", "text")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?);

-- progress.report
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "kind" = ? group by "application_id";
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "position" >= ?;
update "applications"
  set "status" = ?
  where "advertiser_id" = ?
  and "id" in (?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?), (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "former", "status", "source", "source_id", "label", "reason")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, (select coalesce(max("earlier"."position"), 0) + 2 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end + ?
  where "advertiser_id" = ?
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and ("held_until" is not null or "delivery_id" is not null);
delete from "deliveries"
  where "id" in (?)
  and "state" = ?
  and "attempts" = ?;
update "recent_decisions"
  set "held_until" = ?, "delivery_id" = ?
  where "advertiser_id" = ?
  and "application_id" in (?);
select "candidate_emails"
  from "advertisers"
  where "id" = ?;
select "application_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "status" = ?
  and "decided_at" > ?
  limit ?;
select "candidate_id" as "candidateId", "application_id" as "applicationId"
  from "own_applications"
  where "advertiser_id" = ?
  and "application_id" in (?);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
insert into "recent_decisions" ("advertiser_id", "application_id", "former", "status", "decided_at", "held_until", "delivery_id")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("advertiser_id", "application_id") do update
  set "former" = "excluded"."former", "status" = "excluded"."status", "decided_at" = "excluded"."decided_at", "held_until" = "excluded"."held_until", "delivery_id" = "excluded"."delivery_id";

-- progress.held
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "kind" = ? group by "application_id";
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "position" >= ?;
update "applications"
  set "status" = ?
  where "advertiser_id" = ?
  and "id" in (?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?), (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "former", "status", "source", "source_id", "label", "reason")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, (select coalesce(max("earlier"."position"), 0) + 2 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end + ?
  where "advertiser_id" = ?
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and ("held_until" is not null or "delivery_id" is not null);
delete from "deliveries"
  where "id" in (?)
  and "state" = ?
  and "attempts" = ?;
update "recent_decisions"
  set "held_until" = ?, "delivery_id" = ?
  where "advertiser_id" = ?
  and "application_id" in (?);
select "candidate_emails"
  from "advertisers"
  where "id" = ?;
select "application_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "status" = ?
  and "decided_at" > ?
  limit ?;
select "candidate_id" as "candidateId", "application_id" as "applicationId"
  from "own_applications"
  where "advertiser_id" = ?
  and "application_id" in (?);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
insert into "recent_decisions" ("advertiser_id", "application_id", "former", "status", "decided_at", "held_until", "delivery_id")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("advertiser_id", "application_id") do update
  set "former" = "excluded"."former", "status" = "excluded"."status", "decided_at" = "excluded"."decided_at", "held_until" = "excluded"."held_until", "delivery_id" = "excluded"."delivery_id";
select "status", count(*) as "count", min("held_until") as "from", max("held_until") as "until"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "held_until" > ? group by "status"
  order by "status";

-- progress.takeBack
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
select "application_id", max(coalesce("counted_at", "at")) as "at"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "kind" = ? group by "application_id";
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "position" >= ?;
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "former", "status", "source", "source_id", "label", "reason")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?), (?, (select coalesce(max("earlier"."position"), 0) + 2 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end + ?
  where "advertiser_id" = ?
  returning "event_number";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
select "application_id", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and ("held_until" is not null or "delivery_id" is not null);
delete from "deliveries"
  where "id" in (?)
  and "state" = ?
  and "attempts" = ?;
update "recent_decisions"
  set "held_until" = ?, "delivery_id" = ?
  where "advertiser_id" = ?
  and "application_id" in (?);
select "candidate_emails"
  from "advertisers"
  where "id" = ?;
select "application_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "status" = ?
  and "decided_at" > ?
  limit ?;
select "candidate_id" as "candidateId", "application_id" as "applicationId"
  from "own_applications"
  where "advertiser_id" = ?
  and "application_id" in (?);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
insert into "recent_decisions" ("advertiser_id", "application_id", "former", "status", "decided_at", "held_until", "delivery_id")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("advertiser_id", "application_id") do update
  set "former" = "excluded"."former", "status" = "excluded"."status", "decided_at" = "excluded"."decided_at", "held_until" = "excluded"."held_until", "delivery_id" = "excluded"."delivery_id";
select "application_id", "former", "held_until", "delivery_id"
  from "recent_decisions"
  where "advertiser_id" = ?
  and "held_until" > ?
  and "status" = ?
  and "held_until" <= ?
  order by "decided_at"
  limit ?;
delete from "deliveries"
  where "id" in (select "id"
    from "deliveries"
    where "id" in (?)
    and "state" = ?
    and "attempts" = ?
    and due_at + 0 > ?);
select "id"
  from "deliveries"
  where "id" in (?);
delete from "recent_decisions"
  where "advertiser_id" = ?
  and "application_id" in (?);
update "applications"
  set "status" = ?
  where "advertiser_id" = ?
  and "id" in (?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?), (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "counted_at", "kind", "former", "status", "actor_id", "label", "reason")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);

-- progress.addNote
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "position" >= ?;
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "actor_id", "text")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?);

-- progress.history
select "entry"."at", "entry"."kind", "entry"."actor_id" as "actorId", "entry"."former", "entry"."status", "entry"."text", "entry"."source", "entry"."label", "entry"."reason", coalesce("credential"."label", "agent"."name") as "sourceName", nullif(trim(actor.first_name || ' ' || actor.last_name), '') as "actorName"
  from "application_history" as "entry" left join "candidates" as "actor" on "actor"."id" = "entry"."actor_id" left join "sws_credentials" as "credential" on "credential"."id" = "entry"."source_id"
  and "credential"."advertiser_id" = "entry"."advertiser_id" left join "oauth_clients" as "client" on "client"."id" = "entry"."source_id" left join "agents" as "agent" on "agent"."id" = "client"."agent_id"
  where "entry"."advertiser_id" = ?
  and "entry"."application_id" = ?
  order by "entry"."position" desc
  limit ?;

-- progress.isFull
select distinct "application_id"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "position" >= ?;
select "application_id"
  from "application_history"
  where "advertiser_id" = ?
  and "application_id" in (?)
  and "kind" in (?, ?)
  and "source" is null group by "application_id" having count(*) >= ?;

-- progress.whyUntold
select "candidate"."email_confirmed_at" as "confirmedAt", "candidate"."mail_refused_at" as "refusedAt", "candidate"."muted"
  from "own_applications" as "own"
  inner join "candidates" as "candidate" on "candidate"."id" = "own"."candidate_id"
  where "own"."advertiser_id" = ?
  and "own"."application_id" = ?;

-- progress.visit
select "visited_at", "visited_before_at", "told_up_to", coalesce((select max(id)
      from applications
      where advertiser_id = ?), 0) as "newest"
  from "memberships"
  where "advertiser_id" = ?
  and "candidate_id" = ?;
update "memberships"
  set "visited_before_at" = case when "visited_at" < ? then "visited_at" else "visited_before_at" end, "visited_at" = ?, "told_up_to" = coalesce((select max(id)
      from applications
      where advertiser_id = ?), 0)
  where "advertiser_id" = ?
  and "candidate_id" = ?
  returning "visited_before_at";

-- progress.lastVisit
select "visited_before_at"
  from "memberships"
  where "advertiser_id" = ?
  and "candidate_id" = ?;

-- progress.counts
select "status", cast(sum(applications) as bigint) as "applications"
  from "application_counts"
  where "advertiser_id" = ? group by "status";
select "status", cast(sum(applications) as bigint) as "applications"
  from "application_counts"
  where "advertiser_id" = ?
  and "job_ad_id" = ? group by "status";

-- progress.countsOfAds
select "job_ad_id", "status", "applications"
  from "application_counts"
  where "advertiser_id" = ?
  and "job_ad_id" in (?);

-- counts.faults (the operator's own look-up or list)
select "ad" as "jobAdId", "status", cast(sum("kept") as bigint) as "kept", cast(sum("counted") as bigint) as "counted"
  from (select "job_ad_id" as "ad", "status", "applications" as "kept", 0 as "counted"
    from "application_counts"
    where "advertiser_id" = ?
    union all select coalesce("job_ad_id", 0) as "ad", "status", 0 as "kept", count(*) as "counted"
    from "applications"
    where "advertiser_id" = ? group by "job_ad_id", "status") as "both" group by "ad", "status" having cast(sum("kept") as bigint) <> cast(sum("counted") as bigint)
  order by "ad", "status";

-- counts.repair (the operator's own look-up or list)
update "advertiser_ledger"
  set "version" = "version"
  where "advertiser_id" = ?;
select "ad" as "jobAdId", "status", cast(sum("kept") as bigint) as "kept", cast(sum("counted") as bigint) as "counted"
  from (select "job_ad_id" as "ad", "status", "applications" as "kept", 0 as "counted"
    from "application_counts"
    where "advertiser_id" = ?
    union all select coalesce("job_ad_id", 0) as "ad", "status", 0 as "kept", count(*) as "counted"
    from "applications"
    where "advertiser_id" = ? group by "job_ad_id", "status") as "both" group by "ad", "status" having cast(sum("kept") as bigint) <> cast(sum("counted") as bigint)
  order by "ad", "status";

-- deliveries.add (the outbox is worked off by processes, and the rows name no owner in a column)
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?);

-- deliveries.claimOne (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = ?, "attempts" = attempts + 1, "holder" = ?
  where "id" in (select "id"
    from "deliveries"
    where "state" = ?
    and "due_at" <= ?
    and "id" = ?
    and "give_up_at" >= ?)
  returning "id", "kind", "content", "attempts", "created_at", "give_up_at", "due_at";

-- deliveries.stateOf (the outbox is worked off by processes, and the rows name no owner in a column)
select "state"
  from "deliveries"
  where "id" = ?;

-- deliveries.claim (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = ?, "attempts" = attempts + 1, "holder" = ?
  where "id" in (select "id"
    from "deliveries"
    where "state" = ?
    and "due_at" <= ?
    and ("give_up_at" >= ? or "give_up_at" < ?)
    and "kind" in (?)
    order by "due_at"
    limit ?)
  returning "id", "kind", "content", "attempts", "created_at", "give_up_at", "due_at";
update "deliveries"
  set "due_at" = ?, "attempts" = attempts + 1, "holder" = ?
  where "id" in (select "id"
    from "deliveries"
    where "state" = ?
    and "due_at" > ?
    and ("give_up_at" >= ? or "give_up_at" < ?)
    and "kind" in (?)
    order by "due_at"
    limit ?)
  returning "id", "kind", "content", "attempts", "created_at", "give_up_at", "due_at";

-- deliveries.release (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = ?, "attempts" = attempts - 1, "holder" = ?
  where "id" = ?
  and "state" = ?
  and "due_at" = ?;

-- deliveries.retry (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "due_at" = ?, "fault" = ?, "holder" = ?
  where "id" = ?
  and "state" = ?
  and "due_at" = ?;

-- deliveries.end (the outbox is worked off by processes, and the rows name no owner in a column)
update "deliveries"
  set "state" = ?, "ended_at" = ?, "fault" = ?, "content" = ?
  where "id" = ?
  and "state" = ?
  and "due_at" = ?;
update "deliveries"
  set "state" = ?, "ended_at" = ?, "fault" = ?
  where "id" = ?
  and "state" = ?
  and "due_at" = ?;

-- deliveries.remove (the outbox is worked off by processes, and the rows name no owner in a column)
delete from "deliveries"
  where "id" = ?
  and "state" = ?
  and "due_at" = ?;

-- deliveries.gather (the outbox is worked off by processes, and the rows name no owner in a column)
delete from "deliveries"
  where "id" = ?
  and "state" = ?
  and "due_at" = ?;

-- deliveries.dropLate (the outbox is worked off by processes, and the rows name no owner in a column)
delete from "deliveries"
  where "id" in (select "id"
    from "deliveries"
    where "state" = ?
    and ("due_at" <= ? or "due_at" > ?)
    and "give_up_at" < ?
    and "kind" in (?)
    order by "due_at"
    limit ?);

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
  where "state" in (?, ?)
  order by "created_at" desc, "id"
  limit ?;

-- deliveries.retryNow (the operator's own look-up or list)
update "deliveries"
  set "state" = ?, "due_at" = ?, "give_up_at" = case when state = 'waiting'
  and (kind in (?) or give_up_at > ?) then give_up_at else ? end, "attempts" = ?, "ended_at" = ?, "fault" = ?
  where "content" != ?
  and "id" in (?)
  and "state" in (?, ?, ?)
  and ("state" != ? or "kind" not in (?) or "give_up_at" >= ?);
update "deliveries"
  set "state" = ?, "due_at" = ?, "give_up_at" = case when state = 'waiting'
  and (kind in (?) or give_up_at > ?) then give_up_at else ? end, "attempts" = ?, "ended_at" = ?, "fault" = ?
  where "content" != ?
  and "state" = ?;

-- deliveries.drop (the operator's own look-up or list)
delete from "deliveries"
  where "id" in (?);
delete from "deliveries"
  where "state" = ?;

-- expiry.removeDeliveries (removes what is over, whoever had it)
delete from "deliveries"
  where ("id") in ( select "id"
    from "deliveries"
    where "ended_at" <= ?
    order by "ended_at"
    limit ? );

-- notices.findReader
select "email", "email_confirmed_at", "muted", "mail_refused_at"
  from "candidates"
  where "id" = ?;

-- notices.findSent
select "own"."job_title" as "jobTitle", "own"."job_location" as "jobLocation", "own"."advertiser_name" as "advertiserName", "own"."submitted_at" as "submittedAt", "kept"."until" as "keptUntil", "screen"."application_id" as "answeredId", "application"."status", "application"."erased_at"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "own"."advertiser_id"
  and "kept"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and "own"."application_id" = ?;
select "file"."application_id", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."blob", "file"."sha256", "file"."size", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan", "file"."uploaded_at" as "uploadedAt"
  from "own_applications" as "own"
  inner join "application_files" as "file" on "file"."advertiser_id" = "own"."advertiser_id"
  and "file"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and "own"."submitted_at" >= ?
  and "own"."submitted_at" <= ?;

-- notices.findDisclosure
select "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName"
  from "oauth_clients" as "client" left join "advertisers" as "advertiser" on "advertiser"."id" = ?
  where "client"."id" = ?;

-- notices.findNew
select "advertiser"."name", "advertiser"."status", "membership"."visited_at" as "visitedAt", "next_retention_months" as "months", "retention_changes_at" as "changesAt"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = ?
  and "membership"."candidate_id" = ?;
select "ad"."title" as "jobTitle", count(*) as "count"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = ?
  and "application"."id" >= ?
  and "application"."id" <= ?
  and "application"."status" != ?
  and "application"."erased_at" is null group by "ad"."id", "ad"."title";
select "application"."id", "ad"."title" as "jobTitle"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = ?
  and "application"."id" in (?)
  order by "application"."id" desc;

-- notices.findFailingWebhook
select "advertiser"."name", "advertiser"."status", "membership"."visited_at" as "visitedAt", "next_retention_months" as "months", "retention_changes_at" as "changesAt"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = ?
  and "membership"."candidate_id" = ?;
select "url", "failing_since", "stop_reason" as "reason", "key_lost_at"
  from "webhook_endpoints"
  where "id" = ?
  and "advertiser_id" = ?;
select count(*) as "events", max("ended_at") as "lastAt"
  from "webhook_lanes"
  where "endpoint_id" = ?
  and "ended" = ?
  and "advertiser_id" = ?;

-- notices.findFailingAgentWebhook
select "agent"."name"
  from "agent_members" as "member"
  inner join "agents" as "agent" on "agent"."id" = "member"."agent_id"
  where "member"."agent_id" = ?
  and "member"."candidate_id" = ?
  and "member"."role" = ?;
select "url", "failing_since", "stop_reason" as "reason", "key_lost_at"
  from "webhook_endpoints"
  where "id" = ?
  and "agent_id" = ?;

-- notices.findRetention
select "advertiser"."name", "advertiser"."status", "membership"."visited_at" as "visitedAt", "next_retention_months" as "months", "retention_changes_at" as "changesAt"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = ?
  and "membership"."candidate_id" = ?;

-- notices.recordRefusal (an address says which account is meant)
update "candidates"
  set "mail_refused_at" = ?, "mail_refusal" = ?
  where "email" = ?;

-- notices.findRefusal
select "mail_refused_at" as "at", "mail_refusal" as "words"
  from "candidates"
  where "id" = ?;

-- notices.clearRefusal
update "candidates"
  set "mail_refused_at" = ?, "mail_refusal" = ?
  where "id" = ?;

-- notifications.preferences
select "muted", "mail_refused_at" as "refusedAt"
  from "candidates"
  where "id" = ?;

-- notifications.setMuted
update "candidates"
  set "muted" = ?
  where "id" = ?;

-- notifications.setTopic
update "candidates"
  set "muted" = muted & ~ 1
  where "id" = ?;
update "candidates"
  set "muted" = muted | 1
  where "id" = ?;

-- notifications.rhythm
select "notify"
  from "memberships"
  where "advertiser_id" = ?
  and "candidate_id" = ?;

-- notifications.setRhythm
update "memberships"
  set "notify" = ?, "told_up_to" = case when notify = 'off' then coalesce((select max(id)
      from applications
      where advertiser_id = ?), 0) else told_up_to end
  where "advertiser_id" = ?
  and "candidate_id" = ?
  and "notify" != ?;
delete from "untold_withdrawals"
  where "advertiser_id" = ?
  and "candidate_id" = ?;
update "memberships"
  set "notify" = ?, "told_up_to" = case when notify = 'off' then coalesce((select max(id)
      from applications
      where advertiser_id = ?), 0) else told_up_to end, "told_at" = ?
  where "advertiser_id" = ?
  and "candidate_id" = ?
  and "notify" != ?;

-- notifications.linkKey (one key for the whole service)
insert into "meta" ("key", "value")
  values (?, ?)
  on conflict ("key") do nothing;
select "value"
  from "meta"
  where "key" = ?;

-- digests.zones (writes to the members of every company that has something new)
select distinct "advertiser"."time_zone"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "advertiser"."status" = ?
  and "membership"."notify" = ?;

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
  where "advertiser"."status" = ?
  and "membership"."notify" = ?
  and ("membership"."told_at" <= ? or "membership"."told_at" > ?)
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
  limit ?;

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
  where "advertiser"."status" = ?
  and "membership"."notify" = ?
  and (("advertiser"."time_zone" is null
      and ("membership"."told_at" < ? or "membership"."told_at" > ?)) or ("advertiser"."time_zone" = ?
      and ("membership"."told_at" < ? or "membership"."told_at" > ?)))
  order by "membership"."advertiser_id", "membership"."candidate_id"
  limit ?;

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
  where "advertiser"."status" = ?
  and "membership"."notify" = ?
  and ("advertiser"."time_zone" is null
    and ("membership"."told_at" < ? or "membership"."told_at" > ?))
  order by "membership"."advertiser_id", "membership"."candidate_id"
  limit ?;

-- members.find
select "advertiser"."id" as "advertiserId", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."status" as "status", "advertiser"."time_zone" as "timeZone", "membership"."role" as "role", "advertiser"."requires_factor" as "requiresFactor", "advertiser"."answer_days" as "answerDays"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."advertiser_id" = ?
  and "membership"."candidate_id" = ?;

-- members.workplacesOf
select "advertiser"."id" as "advertiserId", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."status" as "status", "advertiser"."time_zone" as "timeZone", "membership"."role" as "role"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."candidate_id" = ?
  order by "advertiser"."name", "advertiser"."id";

-- members.list
select "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."last_name" as "lastName", "memberships"."role" as "role", "memberships"."created_at" as "since", (exists (select "candidate_id"
      from "totp_factors"
      where "totp_factors"."candidate_id" = "candidate"."id") or exists (select "candidate_id"
      from "passkeys"
      where "passkeys"."candidate_id" = "candidate"."id")) as "hasFactor"
  from "memberships"
  inner join "candidates" as "candidate" on "candidate"."id" = "memberships"."candidate_id"
  where "advertiser_id" = ?
  order by "memberships"."created_at", "candidate"."email";

-- members.listInvitations
select "id", "email", "role", "created_at" as "createdAt", "expires_at" as "expiresAt"
  from "invitations"
  where "advertiser_id" = ?
  and "expires_at" > ?
  order by "created_at", "id";

-- members.invite
select "id"
  from "advertisers"
  where "id" = ?;
select "candidate"."email"
  from "memberships"
  inner join "candidates" as "candidate" on "candidate"."id" = "memberships"."candidate_id"
  where "advertiser_id" = ?;
select "email"
  from "invitations"
  where "advertiser_id" = ?
  and "expires_at" > ?;
delete from "invitations"
  where "advertiser_id" = ?
  and "email" = ?;
insert into "invitations" ("advertiser_id", "hash", "id", "role", "created_at", "expires_at", "email")
  values (?, ?, ?, ?, ?, ?, ?);

-- members.issueLink
update "invitations"
  set "former_hash" = "hash", "hash" = ?
  where "advertiser_id" = ?
  and "id" = ?
  and "expires_at" > ?
  returning "email", "role";
select "name"
  from "advertisers"
  where "id" = ?;

-- members.setRole
select "id"
  from "advertisers"
  where "id" = ?;
select "candidate_id"
  from "memberships"
  where "advertiser_id" = ?
  and "role" = ?;
select "role"
  from "memberships"
  where "advertiser_id" = ?
  and "candidate_id" = ?;
update "memberships"
  set "role" = ?
  where "advertiser_id" = ?
  and "candidate_id" = ?;

-- members.remove
select "id"
  from "advertisers"
  where "id" = ?;
select "candidate_id"
  from "memberships"
  where "advertiser_id" = ?
  and "role" = ?;
delete from "memberships"
  where "advertiser_id" = ?
  and "candidate_id" = ?
  returning "created_at", "role";
insert into "tombstones" ("id", "content")
  values (?, ?);

-- members.takeBack
delete from "invitations"
  where "advertiser_id" = ?
  and "id" = ?
  returning "role";

-- members.findInvitation (the secret is what says who asks)
select "hash"
  from "invitations"
  where "former_hash" = ?;
select "invitations"."role" as "role", "invitations"."email" as "email", "candidate"."email_confirmed_at" as "confirmedAt", "advertiser_id" as "ownerId"
  from "invitations" left join "candidates" as "candidate" on "candidate"."email" = "invitations"."email"
  where "hash" = ?
  and "expires_at" > ?;
select "name"
  from "advertisers"
  where "id" = ?;

-- members.join (the secret is what says who asks)
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "hash"
  from "invitations"
  where "former_hash" = ?;
delete from "invitations"
  where "hash" = ?
  and "expires_at" > ?
  and "email" = ?
  returning "hash", "id", "email", "role", "created_at", "expires_at", "former_hash", "advertiser_id";
select "role"
  from "memberships"
  where "advertiser_id" = ?
  and "candidate_id" = ?;
insert into "memberships" ("advertiser_id", "candidate_id", "role", "created_at", "told_up_to", "told_at")
  values (?, ?, ?, ?, coalesce((select max(id)
        from applications
        where advertiser_id = ?), 0), ?)
  on conflict ("advertiser_id", "candidate_id") do update
  set "role" = ?;

-- members.joinWithAccount (the secret is what says who asks)
select "hash"
  from "invitations"
  where "former_hash" = ?;
delete from "invitations"
  where "hash" = ?
  and "expires_at" > ?
  returning "hash", "id", "email", "role", "created_at", "expires_at", "former_hash", "advertiser_id";
insert into "candidates" ("email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "id", "email", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("email") do update
  set "email_confirmed_at" = ?, "password_hash" = ?, "first_name" = ?, "last_name" = ?, "profile" = ?
  where "candidates"."email_confirmed_at" is null
  returning "id";
delete from "account_links"
  where "candidate_id" = ?;
select "role"
  from "memberships"
  where "advertiser_id" = ?
  and "candidate_id" = ?;
insert into "memberships" ("advertiser_id", "candidate_id", "role", "created_at", "told_up_to", "told_at")
  values (?, ?, ?, ?, coalesce((select max(id)
        from applications
        where advertiser_id = ?), 0), ?)
  on conflict ("advertiser_id", "candidate_id") do update
  set "role" = ?;

-- sentForms.claim (the key of a form is a hash of who has sent it, and of a random value)
insert into "sent_forms" ("key", "location", "expires_at")
  values (?, ?, ?)
  on conflict ("key") do update
  set "location" = ?, "expires_at" = ?
  where "sent_forms"."expires_at" <= ?;

-- sentForms.finish (the key of a form is a hash of who has sent it, and of a random value)
update "sent_forms"
  set "location" = ?, "expires_at" = ?
  where "key" = ?
  and "expires_at" = ?;

-- sentForms.find (the key of a form is a hash of who has sent it, and of a random value)
select "location"
  from "sent_forms"
  where "key" = ?;

-- sentForms.release (the key of a form is a hash of who has sent it, and of a random value)
delete from "sent_forms"
  where "key" = ?
  and "expires_at" = ?;

-- operators.find (the operator's own look-up or list)
select "role"
  from "operators"
  where "candidate_id" = ?;

-- operators.isAny (the operator's own look-up or list)
select "role"
  from "operators"
  limit ?;

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
  and "expires_at" > ?
  order by "created_at", "id";

-- operators.invite (the operator's own look-up or list)
select "candidate"."email"
  from "operators"
  inner join "candidates" as "candidate" on "candidate"."id" = "operators"."candidate_id"
  where true;
select "email"
  from "operator_invitations"
  where true
  and "expires_at" > ?;
delete from "operator_invitations"
  where true
  and "email" = ?;
insert into "operator_invitations" ("hash", "id", "role", "created_at", "expires_at", "email")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("email") do update
  set "hash" = ?, "id" = ?, "role" = ?, "created_at" = ?, "expires_at" = ?;

-- operators.findInvitation (the secret is what says who asks)
select "operator_invitations"."role" as "role", "operator_invitations"."email" as "email", "candidate"."email_confirmed_at" as "confirmedAt", 0 as "ownerId"
  from "operator_invitations" left join "candidates" as "candidate" on "candidate"."email" = "operator_invitations"."email"
  where "hash" = ?
  and "expires_at" > ?;

-- operators.join (the secret is what says who asks)
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
delete from "operator_invitations"
  where "hash" = ?
  and "expires_at" > ?
  and "email" = ?
  returning "hash", "id", "email", "role", "created_at", "expires_at";
select "candidate"."email"
  from "operators"
  inner join "candidates" as "candidate" on "candidate"."id" = "operators"."candidate_id"
  where true;
select "email"
  from "operator_invitations"
  where true
  and "expires_at" > ?;
delete from "operator_invitations"
  where true
  and "email" = ?;
insert into "operator_invitations" ("hash", "id", "role", "created_at", "expires_at", "email")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("email") do update
  set "hash" = ?, "id" = ?, "role" = ?, "created_at" = ?, "expires_at" = ?;
select "role"
  from "operators"
  where true
  and "candidate_id" = ?;
insert into "operators" ("candidate_id", "role", "created_at")
  values (?, ?, ?)
  on conflict ("candidate_id") do nothing;
insert into "operators" ("candidate_id", "role", "created_at")
  values (?, ?, ?)
  on conflict ("candidate_id") do update
  set "role" = ?;

-- operators.joinWithAccount (the secret is what says who asks)
select "candidate"."email"
  from "operators"
  inner join "candidates" as "candidate" on "candidate"."id" = "operators"."candidate_id"
  where true;
select "email"
  from "operator_invitations"
  where true
  and "expires_at" > ?;
delete from "operator_invitations"
  where true
  and "email" = ?;
insert into "operator_invitations" ("hash", "id", "role", "created_at", "expires_at", "email")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("email") do update
  set "hash" = ?, "id" = ?, "role" = ?, "created_at" = ?, "expires_at" = ?;
delete from "operator_invitations"
  where "hash" = ?
  and "expires_at" > ?
  returning "hash", "id", "email", "role", "created_at", "expires_at";
insert into "candidates" ("email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "id", "email", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("email") do update
  set "email_confirmed_at" = ?, "password_hash" = ?, "first_name" = ?, "last_name" = ?, "profile" = ?
  where "candidates"."email_confirmed_at" is null
  returning "id";
delete from "account_links"
  where "candidate_id" = ?;
select "role"
  from "operators"
  where true
  and "candidate_id" = ?;
insert into "operators" ("candidate_id", "role", "created_at")
  values (?, ?, ?)
  on conflict ("candidate_id") do update
  set "role" = ?;

-- operators.takeBack (the operator's own look-up or list)
delete from "operator_invitations"
  where true
  and "id" = ?
  returning "role";

-- operators.remove (the operator's own look-up or list)
delete from "operators"
  where true
  and "candidate_id" = ?
  returning "created_at", "role";
insert into "tombstones" ("id", "content")
  values (?, ?);

-- board.companies (the operator's own look-up or list)
select "advertiser"."id", (select count(*) as "count"
    from "memberships"
    where "memberships"."advertiser_id" = "advertiser"."id") as "people", (select count(*) as "count"
    from "memberships"
    where "memberships"."advertiser_id" = "advertiser"."id"
    and "memberships"."role" = ?) as "admins", coalesce((select sum(applications)
      from application_counts
      where advertiser_id = advertiser.id), 0) as "applications", coalesce((select sum(calls)
      from api_call_days
      where advertiser_id = advertiser.id
      and day >= ?), 0) as "calls", "advertiser"."unanswered", "ledger"."last_submitted_at" as "lastAt"
  from "advertisers" as "advertiser"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "advertiser"."id"
  order by "advertiser"."id";

-- board.unjudged (the operator's own look-up or list)
select "not_judged", count(*) as "count", min("uploaded_at") as "oldestAt"
  from "application_files"
  where "scan" = 'unscanned'
  and "blob" > ? group by "not_judged"
  order by "not_judged";
select "not_judged", count(*) as "count", min("uploaded_at") as "oldestAt"
  from "resumes"
  where "scan" = 'unscanned'
  and "blob" > ? group by "not_judged"
  order by "not_judged";

-- board.infected (the operator's own look-up or list)
select "advertiser_id" as "advertiserId", "id" as "applicationId"
  from "applications"
  where "has_virus" = 1
  order by "id" desc
  limit ?;

-- board.refused (the operator's own look-up or list)
select "id" as "candidateId", "mail_refused_at" as "at", "mail_refusal" as "words"
  from "candidates"
  where "mail_refused_at" is not null
  order by "mail_refused_at" desc
  limit ?;

-- board.liftRefusal (the operator's own look-up or list)
update "candidates"
  set "mail_refused_at" = ?, "mail_refusal" = ?
  where "id" = ?
  and "mail_refused_at" is not null;

-- board.record (the operator's own look-up or list)


-- board.nodes (the operator's own look-up or list)
select "id", "release", "seen_at" as "seenAt"
  from "nodes"
  order by "seen_at" desc, "id";

-- board.findPerson (the operator's own look-up or list)
select "value"
  from "meta"
  where "key" = ?;
select distinct "application"."advertiser_id" as "advertiserId", "application"."id" as "applicationId", "application"."submitted_at" as "submittedAt", "application"."status", "hold"."application_id" as "heldId", "application"."email"
  from "advertisers" as "advertiser"
  inner join "application_terms" as "term" on "term"."advertiser_id" = "advertiser"."id"
  inner join "applications" as "application" on "application"."advertiser_id" = "term"."advertiser_id"
  and "application"."id" = "term"."application_id" left join "application_holds" as "hold" on "hold"."advertiser_id" = "application"."advertiser_id"
  and "hold"."application_id" = "application"."id"
  where "term"."term" in (?, ?, ?, ?, ?, ?)
  and "application"."erased_at" is null
  order by "application"."id";
select count(*) as "reports"
  from "job_reports"
  where "email" in (?, ?, ?, ?, ?, ?, ?, ?, ?);
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
  where "candidate"."email" = ?;

-- taskRuns.record (the operator's own look-up or list)
insert into "task_runs" ("name", "failed_at", "fault", "started_at", "ended_at", "outcome", "every_seconds", "detail")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("name") do update
  set "started_at" = ?, "ended_at" = ?, "outcome" = ?, "every_seconds" = ?, "detail" = ?;
insert into "task_runs" ("name", "failed_at", "fault", "started_at", "ended_at", "outcome", "every_seconds", "detail")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("name") do update
  set "started_at" = ?, "ended_at" = ?, "outcome" = ?, "every_seconds" = ?, "detail" = ?, "failed_at" = ?, "fault" = ?;

-- taskRuns.list (the operator's own look-up or list)
select "run"."name", "run"."started_at" as "startedAt", "run"."ended_at" as "endedAt", "run"."outcome", "run"."detail", "run"."failed_at" as "failedAt", "run"."fault", "run"."every_seconds" as "everySeconds", "lease"."held_until" as "heldUntil"
  from "task_runs" as "run" left join "leases" as "lease" on "lease"."name" = "run"."name"
  order by "run"."name";

-- agents.companiesOf
select "advertiser"."id" as "advertiserId", "advertiser"."name", "advertiser"."status", "authorisation"."authorised_at" as "authorisedAt", "authorisation"."progress_granted_at" as "progressGrantedAt"
  from "agent_authorisations" as "authorisation"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "authorisation"."advertiser_id"
  where "authorisation"."agent_id" = ?
  order by "advertiser"."name", "advertiser"."id";

-- agents.advertisersOf
select "advertiser"."id" as "advertiserId", "advertiser"."name", "authorisation"."authorised_at" as "authorisedAt"
  from "agent_authorisations" as "authorisation"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "authorisation"."advertiser_id"
  where "authorisation"."agent_id" = ?
  and "authorisation"."advertiser_id" > ?
  order by "authorisation"."advertiser_id"
  limit ?;

-- agentMembers.find
select "agent"."id" as "agentId", "agent"."name" as "agentName", "member"."role" as "role"
  from "agent_members" as "member"
  inner join "agents" as "agent" on "agent"."id" = "member"."agent_id"
  where "member"."agent_id" = ?
  and "member"."candidate_id" = ?;

-- agentMembers.workplacesOf
select "agent"."id" as "agentId", "agent"."name" as "agentName", "member"."role" as "role"
  from "agent_members" as "member"
  inner join "agents" as "agent" on "agent"."id" = "member"."agent_id"
  where "member"."candidate_id" = ?
  order by "agent"."name", "agent"."id";

-- agentMembers.list
select "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."last_name" as "lastName", "agent_members"."role" as "role", "agent_members"."created_at" as "since"
  from "agent_members"
  inner join "candidates" as "candidate" on "candidate"."id" = "agent_members"."candidate_id"
  where "agent_id" = ?
  order by "agent_members"."created_at", "candidate"."email";

-- agentMembers.listInvitations
select "id", "email", "role", "created_at" as "createdAt", "expires_at" as "expiresAt"
  from "agent_invitations"
  where "agent_id" = ?
  and "expires_at" > ?
  order by "created_at", "id";

-- agentMembers.invite
select "id"
  from "agents"
  where "id" = ?;
select "candidate"."email"
  from "agent_members"
  inner join "candidates" as "candidate" on "candidate"."id" = "agent_members"."candidate_id"
  where "agent_id" = ?;
select "email"
  from "agent_invitations"
  where "agent_id" = ?
  and "expires_at" > ?;
delete from "agent_invitations"
  where "agent_id" = ?
  and "email" = ?;
insert into "agent_invitations" ("agent_id", "hash", "id", "role", "created_at", "expires_at", "email")
  values (?, ?, ?, ?, ?, ?, ?);

-- agentMembers.issueLink
update "agent_invitations"
  set "former_hash" = "hash", "hash" = ?
  where "agent_id" = ?
  and "id" = ?
  and "expires_at" > ?
  returning "email", "role";
select "name"
  from "agents"
  where "id" = ?;

-- agentMembers.setRole
select "id"
  from "agents"
  where "id" = ?;
select "candidate_id"
  from "agent_members"
  where "agent_id" = ?
  and "role" = ?;
select "role"
  from "agent_members"
  where "agent_id" = ?
  and "candidate_id" = ?;
update "agent_members"
  set "role" = ?
  where "agent_id" = ?
  and "candidate_id" = ?;

-- agentMembers.remove
select "id"
  from "agents"
  where "id" = ?;
select "candidate_id"
  from "agent_members"
  where "agent_id" = ?
  and "role" = ?;
delete from "agent_members"
  where "agent_id" = ?
  and "candidate_id" = ?
  returning "created_at", "role";
insert into "tombstones" ("id", "content")
  values (?, ?);

-- agentMembers.takeBack
delete from "agent_invitations"
  where "agent_id" = ?
  and "id" = ?
  returning "role";

-- agentMembers.findInvitation (the secret is what says who asks)
select "hash"
  from "agent_invitations"
  where "former_hash" = ?;
select "agent_invitations"."role" as "role", "agent_invitations"."email" as "email", "candidate"."email_confirmed_at" as "confirmedAt", "agent_id" as "ownerId"
  from "agent_invitations" left join "candidates" as "candidate" on "candidate"."email" = "agent_invitations"."email"
  where "hash" = ?
  and "expires_at" > ?;
select "name"
  from "agents"
  where "id" = ?;

-- agentMembers.join (the secret is what says who asks)
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "hash"
  from "agent_invitations"
  where "former_hash" = ?;
delete from "agent_invitations"
  where "hash" = ?
  and "expires_at" > ?
  and "email" = ?
  returning "hash", "id", "email", "role", "created_at", "expires_at", "former_hash", "agent_id";
select "role"
  from "agent_members"
  where "agent_id" = ?
  and "candidate_id" = ?;
insert into "agent_members" ("agent_id", "candidate_id", "role", "created_at")
  values (?, ?, ?, ?)
  on conflict ("agent_id", "candidate_id") do update
  set "role" = ?;

-- agentMembers.joinWithAccount (the secret is what says who asks)
select "hash"
  from "agent_invitations"
  where "former_hash" = ?;
delete from "agent_invitations"
  where "hash" = ?
  and "expires_at" > ?
  returning "hash", "id", "email", "role", "created_at", "expires_at", "former_hash", "agent_id";
insert into "candidates" ("email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "id", "email", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("email") do update
  set "email_confirmed_at" = ?, "password_hash" = ?, "first_name" = ?, "last_name" = ?, "profile" = ?
  where "candidates"."email_confirmed_at" is null
  returning "id";
delete from "account_links"
  where "candidate_id" = ?;
select "role"
  from "agent_members"
  where "agent_id" = ?
  and "candidate_id" = ?;
insert into "agent_members" ("agent_id", "candidate_id", "role", "created_at")
  values (?, ?, ?, ?)
  on conflict ("agent_id", "candidate_id") do update
  set "role" = ?;

-- usage.addCalls (what a node has counted for all advertisers goes in one transaction, each count to its own)
insert into "api_call_days" ("advertiser_id", "day", "calls") select "id", cast(? as text) as "day", cast(? as bigint) as "calls"
  from "advertisers"
  where "id" = ?
  on conflict ("advertiser_id", "day") do update
  set "calls" = api_call_days.calls + excluded.calls;

-- agentCalls.add (what a node has counted for all advertisers goes in one transaction, each count to its own)
insert into "agent_call_days" ("agent_id", "advertiser_id", "day", "code", "calls", "last_at") select "agent"."id", "advertiser"."id" as "advertiser_id", cast(? as text) as "day", cast(? as text) as "code", cast(? as bigint) as "calls", cast(? as bigint) as "last_at"
  from "agents" as "agent", "advertisers" as "advertiser"
  where "agent"."id" = ?
  and "advertiser"."id" = ?
  on conflict ("agent_id", "day", "advertiser_id", "code") do update
  set "calls" = agent_call_days.calls + excluded.calls, "last_at" = case when excluded.last_at > agent_call_days.last_at then excluded.last_at else agent_call_days.last_at end;

-- agentCalls.days
select "day", "code", cast(sum("calls") as bigint) as "calls"
  from "agent_call_days"
  where "agent_id" = ?
  and "day" >= ? group by "day", "code"
  order by "day" desc, "code";

-- agentCalls.last
select "advertiser_id" as "advertiserId", max("last_at") as "lastAt"
  from "agent_call_days"
  where "agent_id" = ?
  and "code" = ? group by "advertiser_id";

-- reads.addReads (what a node has counted for all advertisers goes in one transaction, each count to its own)
insert into "application_reads" ("advertiser_id", "application_id", "day", "reader", "way", "first_at", "last_at") select "advertiser_id", "id", cast(? as text) as "day", cast(? as text) as "reader", cast(? as text) as "way", cast(? as bigint) as "first_at", cast(? as bigint) as "last_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" = ?
  and "erased_at" is null
  on conflict ("advertiser_id", "application_id", "day", "reader", "way") do update
  set "last_at" = case when excluded.last_at > "application_reads"."last_at" then excluded.last_at else "application_reads"."last_at" end;

-- reads.addLists (what a node has counted for all advertisers goes in one transaction, each count to its own)
insert into "list_reads" ("advertiser_id", "day", "reader", "way", "first_id", "last_id", "first_at", "last_at") select "id", cast(? as text) as "day", cast(? as text) as "reader", cast(? as text) as "way", cast(? as bigint) as "first_id", cast(? as bigint) as "last_id", cast(? as bigint) as "first_at", cast(? as bigint) as "last_at"
  from "advertisers"
  where "id" = ?
  on conflict ("advertiser_id", "day", "reader", "way", "first_id") do update
  set "last_id" = case when excluded.last_id > list_reads.last_id then excluded.last_id else list_reads.last_id end, "last_at" = case when excluded.last_at > "list_reads"."last_at" then excluded.last_at else "list_reads"."last_at" end;

-- usage.calls
select "day", "calls" as "count"
  from "api_call_days"
  where "advertiser_id" = ?
  and "day" >= ?;

-- usage.lastApplicationAt
select "last_submitted_at"
  from "advertiser_ledger"
  where "advertiser_id" = ?;

-- usage.countApplications
select count(*) as "count"
  from "applications"
  where "advertiser_id" = ?
  and "submitted_at" >= ?
  and "submitted_at" < ?;

-- usage.countedDays
select "day", "applications" as "count"
  from "application_days"
  where "advertiser_id" = ?
  and "day" >= ?
  order by "day";

-- usage.keepDays
insert into "application_days" ("advertiser_id", "day", "applications")
  values (?, ?, ?)
  on conflict ("advertiser_id", "day") do nothing;

-- endpoints.add
select count(*) as "count"
  from "webhook_endpoints"
  where "advertiser_id" = ?;
insert into "webhook_endpoints" ("advertiser_id", "agent_id", "id", "url", "description", "scheme", "types", "state", "created_at", "rotated_at", "overlap_until")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  returning "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at";

-- endpoints.list
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "advertiser_id" = ?
  order by "created_at", "id";

-- endpoints.find
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "advertiser_id" = ?
  and "id" = ?
  order by "created_at", "id";

-- endpoints.findAny (the operator's own look-up or list)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "id" = ?
  order by "created_at", "id";

-- endpoints.listAll (the operator's own look-up or list)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  order by "created_at", "id";

-- endpoints.change
update "webhook_endpoints"
  set "description" = ?
  where "advertiser_id" = ?
  and "id" = ?;

-- endpoints.rotate
update "webhook_endpoints"
  set "generation" = "generation" + ?, "rotated_at" = ?, "overlap_until" = case when key_lost_at is null then cast(? as bigint) end, "key_lost_at" = ?
  where "advertiser_id" = ?
  and "id" = ?;

-- endpoints.retire
update "webhook_endpoints"
  set "overlap_until" = ?
  where "advertiser_id" = ?
  and "id" = ?;

-- endpoints.recordTest (by the ID of an endpoint that the service has found to be the owner’s)
update "webhook_endpoints"
  set "answer_ms" = coalesce(answer_ms, ?), "skew_ms" = ?
  where "id" = ?;
insert into "webhook_attempts" ("endpoint_id", "at", "advertiser_id", "number", "attempt", "outcome", "status", "ms", "answer")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;

-- endpoints.testsSince (by the ID of an endpoint that the service has found to be the owner’s)
select count(*) as "count"
  from "webhook_attempts"
  where "endpoint_id" = ?
  and "at" >= ?
  and "number" = ?;

-- lanes.findDue (the processes share the work between them; a lease says which one may change a lane)
select "webhook_lanes"."id", "endpoint"."id" as "endpointId", "endpoint"."answer_ms" as "answerMs", coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) as "owner"
  from "webhook_lanes"
  inner join "webhook_endpoints" as "endpoint" on "endpoint"."id" = "webhook_lanes"."endpoint_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "webhook_lanes"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "webhook_lanes"."advertiser_id"
  where "webhook_lanes"."ended_at" is null
  and ("webhook_lanes"."due_at" <= ? or "webhook_lanes"."due_at" > ? or ("webhook_lanes"."tries" = ?
      and "webhook_lanes"."kind" != ?))
  and ("webhook_lanes"."leased_until" <= ? or "webhook_lanes"."leased_until" > ?)
  and "endpoint"."state" = ?
  and "advertiser"."status" = ?
  and "ledger"."event_number" > "webhook_lanes"."sent"
  and "webhook_lanes"."advertiser_id" in (?)
  and "endpoint"."answer_ms" <= ?
  and "endpoint"."id" not in (?)
  and coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) not in (?)
  order by "webhook_lanes"."due_at", "webhook_lanes"."id"
  limit ?;
update "webhook_lanes"
  set "lease" = "lease" + ?, "leased_until" = ?, "holder" = ?
  where "id" = ?
  and "ended_at" is null
  and ("webhook_lanes"."due_at" <= ? or "webhook_lanes"."due_at" > ? or ("webhook_lanes"."tries" = ?
      and "webhook_lanes"."kind" != ?))
  and ("webhook_lanes"."leased_until" <= ? or "webhook_lanes"."leased_until" > ?)
  and exists (select "endpoint"."id"
    from "webhook_endpoints" as "endpoint"
    where "endpoint"."id" = "webhook_lanes"."endpoint_id"
    and "endpoint"."state" = ?)
  returning "id", "kind", "lease", "advertiser_id", "sent", "end_number", "tries", "types", "notice", "endpoint_id";
select "id", "agent_id", "url", "scheme", "generation", "overlap_until", "types", (select count(*) as "count"
    from "webhook_lanes" as "parked"
    where "parked"."endpoint_id" = "endpoint"."id"
    and "parked"."kind" = ?
    and "parked"."ended_at" is null) as "parked"
  from "webhook_endpoints" as "endpoint"
  where "id" = ?;

-- lanes.take (the processes share the work between them; a lease says which one may change a lane)
select "webhook_lanes"."id", "endpoint"."id" as "endpointId", "endpoint"."answer_ms" as "answerMs", coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) as "owner"
  from "webhook_lanes"
  inner join "webhook_endpoints" as "endpoint" on "endpoint"."id" = "webhook_lanes"."endpoint_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "webhook_lanes"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "webhook_lanes"."advertiser_id"
  where "webhook_lanes"."ended_at" is null
  and ("webhook_lanes"."due_at" <= ? or "webhook_lanes"."due_at" > ? or ("webhook_lanes"."tries" = ?
      and "webhook_lanes"."kind" != ?))
  and ("webhook_lanes"."leased_until" <= ? or "webhook_lanes"."leased_until" > ?)
  and "endpoint"."state" = ?
  and "advertiser"."status" = ?
  and "ledger"."event_number" > "webhook_lanes"."sent"
  and "webhook_lanes"."advertiser_id" in (?)
  and "endpoint"."answer_ms" <= ?
  and "endpoint"."id" not in (?)
  and coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) not in (?)
  order by "webhook_lanes"."due_at", "webhook_lanes"."id"
  limit ?;
update "webhook_lanes"
  set "lease" = "lease" + ?, "leased_until" = ?, "holder" = ?
  where "id" = ?
  and "ended_at" is null
  and ("webhook_lanes"."due_at" <= ? or "webhook_lanes"."due_at" > ? or ("webhook_lanes"."tries" = ?
      and "webhook_lanes"."kind" != ?))
  and ("webhook_lanes"."leased_until" <= ? or "webhook_lanes"."leased_until" > ?)
  and exists (select "endpoint"."id"
    from "webhook_endpoints" as "endpoint"
    where "endpoint"."id" = "webhook_lanes"."endpoint_id"
    and "endpoint"."state" = ?)
  returning "id", "kind", "lease", "advertiser_id", "sent", "end_number", "tries", "types", "notice", "endpoint_id";

-- lanes.record (the processes share the work between them; a lease says which one may change a lane)
select "webhook_lanes"."id", "endpoint"."id" as "endpointId", "endpoint"."answer_ms" as "answerMs", coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) as "owner"
  from "webhook_lanes"
  inner join "webhook_endpoints" as "endpoint" on "endpoint"."id" = "webhook_lanes"."endpoint_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "webhook_lanes"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "webhook_lanes"."advertiser_id"
  where "webhook_lanes"."ended_at" is null
  and ("webhook_lanes"."due_at" <= ? or "webhook_lanes"."due_at" > ? or ("webhook_lanes"."tries" = ?
      and "webhook_lanes"."kind" != ?))
  and ("webhook_lanes"."leased_until" <= ? or "webhook_lanes"."leased_until" > ?)
  and "endpoint"."state" = ?
  and "advertiser"."status" = ?
  and "ledger"."event_number" > "webhook_lanes"."sent"
  and "webhook_lanes"."advertiser_id" in (?)
  and "endpoint"."answer_ms" <= ?
  and "endpoint"."id" not in (?)
  and coalesce('agent ' || endpoint.agent_id, 'advertiser ' || endpoint.advertiser_id) not in (?)
  order by "webhook_lanes"."due_at", "webhook_lanes"."id"
  limit ?;
update "webhook_lanes"
  set "lease" = "lease" + ?, "leased_until" = ?, "holder" = ?
  where "id" = ?
  and "ended_at" is null
  and ("webhook_lanes"."due_at" <= ? or "webhook_lanes"."due_at" > ? or ("webhook_lanes"."tries" = ?
      and "webhook_lanes"."kind" != ?))
  and ("webhook_lanes"."leased_until" <= ? or "webhook_lanes"."leased_until" > ?)
  and exists (select "endpoint"."id"
    from "webhook_endpoints" as "endpoint"
    where "endpoint"."id" = "webhook_lanes"."endpoint_id"
    and "endpoint"."state" = ?)
  returning "id", "kind", "lease", "advertiser_id", "sent", "end_number", "tries", "types", "notice", "endpoint_id";

-- endpoints.activate (by the ID of an endpoint that the service has found to be the owner’s)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "id" = ?
  order by "created_at", "id";
update "webhook_lanes"
  set "tries" = ?, "due_at" = ?
  where "endpoint_id" = ?
  and "kind" <> ?
  and "ended_at" is null;
update "webhook_endpoints"
  set "state" = ?, "failing_since" = ?, "failed_at" = ?, "told" = ?, "stopped_at" = ?, "stop_reason" = ?
  where "id" = ?;

-- endpoints.pause
update "webhook_endpoints"
  set "state" = ?
  where "advertiser_id" = ?
  and "id" = ?
  and "state" = ?;

-- endpoints.lanes (by the ID of an endpoint that the service has found to be the owner’s)
select "id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "tries", "due_at", "lease", "leased_until", "delivered", "created_at", "ended_at", "ended", "notice"
  from "webhook_lanes"
  where "endpoint_id" = ?
  and "kind" <> ?
  order by "created_at" desc, "id"
  limit ?;

-- endpoints.backlog (by the ID of an endpoint that the service has found to be the owner’s)
select min("due_at") as "at"
  from "webhook_lanes"
  where "endpoint_id" = ?
  and "kind" = ?
  and "tries" > ?
  and "ended_at" is null;
select count(*) as "events", min("number") as "oldestAt"
  from (select "event"."number"
    from "webhook_lanes" as "lane"
    inner join "events" as "event" on "event"."advertiser_id" = "lane"."advertiser_id"
    and "event"."number" > "lane"."sent"
    where "lane"."endpoint_id" = ?
    and "lane"."kind" = ?
    and "lane"."end_number" is null
    and "event"."type" in (?)
    limit ?) as "behind";
select count(*) as "events", min("number") as "oldestAt"
  from (select "event"."number"
    from "webhook_lanes" as "lane"
    inner join "events" as "event" on "event"."advertiser_id" = "lane"."advertiser_id"
    and "event"."number" > "lane"."sent"
    where "lane"."endpoint_id" = ?
    and "lane"."kind" = ?
    and "lane"."end_number" is null
    and "event"."type" in (?)
    and (type not in (7, 8) or detail = cast(? as text))
    limit ?) as "behind";

-- endpoints.givenUp (by the ID of an endpoint that the service has found to be the owner’s)
select "id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "tries", "due_at", "lease", "leased_until", "delivered", "created_at", "ended_at", "ended", "notice", count(*) over() as "events"
  from "webhook_lanes"
  where "endpoint_id" = ?
  and "kind" <> ?
  and "ended" = ?
  order by "ended_at" desc, "end_number" desc
  limit ?;

-- endpoints.attempts (by the ID of an endpoint that the service has found to be the owner’s)
select "at", "advertiser_id", "number", "attempt", "outcome", "status", "ms", "answer"
  from "webhook_attempts"
  where "endpoint_id" = ?
  order by "at" desc, "number" desc, "attempt" desc
  limit ?;

-- endpoints.hours (by the ID of an endpoint that the service has found to be the owner’s)
select "hour", "accepted", "failed"
  from "webhook_hours"
  where "endpoint_id" = ?
  and "hour" >= ?
  order by "hour";

-- replays.add (by the ID of an endpoint that the service has found to be the owner’s)
select "ledger"."event_number" as "last", "ledger"."events_from" as "from"
  from "webhook_lanes" as "lane"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "lane"."advertiser_id"
  where "lane"."endpoint_id" = ?
  and "lane"."advertiser_id" = ?
  and "lane"."kind" = ?
  and "lane"."end_number" is null;
insert into "webhook_lanes" ("id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- replays.cancel (by the ID of an endpoint that the service has found to be the owner’s)
update "webhook_lanes"
  set "ended" = ?, "ended_at" = ?
  where "endpoint_id" = ?
  and "kind" = ?
  and "id" = ?
  and "ended_at" is null;

-- replays.resendDeferred (by the ID of an endpoint that the service has found to be the owner’s)
update "webhook_lanes"
  set "due_at" = ?, "tries" = ?, "ended" = ?, "ended_at" = ?, "notified_at" = ?, "sent" = case when notice is null then end_number - 1 else sent end
  where "endpoint_id" = ?
  and "kind" = ?
  and ("ended" is null or "ended" = ?);
update "webhook_lanes"
  set "due_at" = ?, "tries" = ?, "ended" = ?, "ended_at" = ?, "notified_at" = ?, "sent" = case when notice is null then end_number - 1 else sent end
  where "endpoint_id" = ?
  and "kind" = ?
  and ("ended" is null or "ended" = ?)
  and "id" = ?;

-- webhookUpkeep.correctTimes (removes what is over, whoever had it)
update "webhook_endpoints"
  set "failing_since" = ?
  where "failing_since" > ?;
update "webhook_endpoints"
  set "failed_at" = ?
  where "failed_at" > ?;

-- webhookUpkeep.failing (removes what is over, whoever had it)
select "id", "advertiser_id", "agent_id", "failing_since", "failed_at", "told", "state", "stopped_at"
  from "webhook_endpoints"
  where "failing_since" is not null
  and "told" < ?
  and ("state" = ? or ("state" = ?
      and "failed_at" >= failing_since + ?))
  order by "failing_since"
  limit ?;

-- webhookUpkeep.tell (tells the owner of its own endpoint)
update "webhook_endpoints"
  set "told" = ?
  where "id" = ?
  and "told" = ?
  and "failing_since" = ?
  and "state" in (?, ?);

-- webhookUpkeep.notifyGivenUp (removes what is over, whoever had it)
select distinct "endpoint"."id", "endpoint"."advertiser_id" as "advertiserId", "endpoint"."agent_id" as "agentId"
  from "webhook_lanes" as "lane"
  inner join "webhook_endpoints" as "endpoint" on "endpoint"."id" = "lane"."endpoint_id"
  where "lane"."ended_at" is not null
  and "lane"."ended" = ?
  and "lane"."notified_at" is null
  and not exists (select "other"."id"
    from "webhook_lanes" as "other"
    where "other"."endpoint_id" = "endpoint"."id"
    and "other"."kind" <> ?
    and "other"."notified_at" > ?
    and "other"."notified_at" <= ?)
  limit ?;

-- webhookUpkeep.prune (removes what is over, whoever had it)
delete from "webhook_attempts"
  where "at" < ?;
delete from "webhook_hours"
  where "hour" < ?;
select "id"
  from "webhook_endpoints";
delete from webhook_attempts
  where endpoint_id = ?
  and (outcome = 'accepted') = (1 = 1)
  and at < (select at
    from webhook_attempts
    where endpoint_id = ?
    and (outcome = 'accepted') = (1 = 1)
    order by at desc
    limit 1 offset ?);
delete from webhook_attempts
  where endpoint_id = ?
  and (outcome = 'accepted') = (1 = 0)
  and at < (select at
    from webhook_attempts
    where endpoint_id = ?
    and (outcome = 'accepted') = (1 = 0)
    order by at desc
    limit 1 offset ?);

-- webhookUpkeep.removeEnded (removes what is over, whoever had it)
delete from "webhook_lanes"
  where "id" in (select "id"
    from "webhook_lanes"
    where "ended_at" < ?
    order by "ended_at"
    limit ?);

-- webhookUpkeep.figures (the operator's own look-up or list)
select case when ("state" = ?
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
  where "lane"."kind" = ?
  and "lane"."ended_at" is null
  and "endpoint"."state" = ?
  and "ledger"."event_number" > "lane"."sent";
select "skew_ms"
  from "webhook_endpoints"
  where "skew_ms" is not null
  order by "skew_ms"
  limit ?;

-- webhookUpkeep.isUsed (the operator's own look-up or list)
select "id"
  from "webhook_endpoints"
  where "state" = ?
  limit ?;

-- endpoints.remove (finds the endpoint to be the owner’s in the same transaction)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "advertiser_id" = ?
  and "id" = ?
  order by "created_at", "id";
delete from "webhook_lanes"
  where "endpoint_id" = ?;
delete from "webhook_attempts"
  where "endpoint_id" = ?;
delete from "webhook_hours"
  where "endpoint_id" = ?;
delete from "webhook_endpoints"
  where "id" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);
select count(*) as "count"
  from "webhook_endpoints"
  where "advertiser_id" = ?;
insert into "webhook_endpoints" ("advertiser_id", "agent_id", "id", "url", "description", "scheme", "types", "state", "created_at", "rotated_at", "overlap_until")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  returning "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at";
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints"
  where "id" = ?
  order by "created_at", "id";
update "webhook_lanes"
  set "tries" = ?, "due_at" = ?
  where "endpoint_id" = ?
  and "kind" <> ?
  and "ended_at" is null;
update "webhook_endpoints"
  set "state" = ?, "failing_since" = ?, "failed_at" = ?, "told" = ?, "stopped_at" = ?, "stop_reason" = ?
  where "id" = ?;
select "event_number"
  from "advertiser_ledger"
  where "advertiser_id" = ?;
select "value"
  from "meta"
  where "key" = ?;
insert into "webhook_lanes" ("id", "endpoint_id", "advertiser_id", "kind", "sent", "end_number", "types", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing;

-- oauth.findContext (the secret is what says who asks)
select client.id as "clientId", client.name as "clientName", client.agent_id as "agentId", client.scopes, client.require_pkce as "requirePkce", client.disabled_at as "disabledAt", client.logo_hash as "logoHash", client.privacy_url as "privacyUrl", ( select string_agg(uri, ' '
      order by uri)
    from oauth_redirect_uris
    where client_id = client.id ) as "redirectUris", advertiser.name as "advertiserName", case when client.agent_id is null then case when exists (select 1
    from oauth_client_advertisers
    where oauth_client_advertisers.client_id = client.id
    and oauth_client_advertisers.advertiser_id = advertiser.id) then 1 else 0 end when exists (select 1
    from agent_authorisations
    where agent_authorisations.advertiser_id = advertiser.id
    and agent_authorisations.agent_id = client.agent_id) then 1 else 0 end as "actsFor", candidate.id as "candidateId", session.created_at as "createdAt", session.last_used_at as "lastUsedAt", session.expires_at as "expiresAt", consent.id as "grantId", consent.released, consent.filled, consent.scope, consent.decided_at as "decidedAt", consent.resume_id as "resumeId", candidate.email, candidate.first_name, candidate.last_name, candidate.profile, resume.id, resume.file_name, resume.content_type, resume.blob, resume.sha256, resume.size, resume.scan, resume.not_judged, resume.uploaded_at, resume.is_default
  from (select ? as client_id, ? as session_hash, ? as advertiser_id) as asked left join "oauth_clients" as "client" on client.id = asked.client_id left join "advertisers" as "advertiser" on advertiser.id = asked.advertiser_id
  and advertiser.status = 'active' left join "sessions" as "session" on session.hash = asked.session_hash left join "candidates" as "candidate" on candidate.id = session.candidate_id left join "resumes" as "resume" on resume.candidate_id = session.candidate_id
  and resume.is_default = 1 left join "grants" as "consent" on consent.candidate_id = session.candidate_id
  and consent.client_id = asked.client_id
  and coalesce(consent.advertiser_id, 0) = asked.advertiser_id
  and consent.withdrawn_at is null;

-- oauth.recordConsent
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
insert into "grants" ("id", "candidate_id", "client_id", "advertiser_id", "scope", "released", "filled", "resume_id", "created_at", "decided_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (candidate_id, client_id, coalesce(advertiser_id, 0))
  where "withdrawn_at" is null do update
  set "scope" = ?, "released" = ?, "filled" = ?, "resume_id" = ?, "decided_at" = ?
  returning "id";
update "oauth_codes"
  set "released" = released & cast(? as bigint)
  where "grant_id" = ?
  and released & ~cast(? as bigint) != ?;
update "oauth_tokens"
  set "released" = released & cast(? as bigint)
  where "hash" in (select "token_hash"
    from "oauth_codes"
    where "grant_id" = ?
    and "token_hash" is not null)
  and released & ~cast(? as bigint) != ?;
insert into "oauth_codes" ("hash", "client_id", "grant_id", "candidate_id", "advertiser_id", "redirect_uri", "scope", "released", "challenge", "issued_at", "expires_at", "failed_attempts") select cast(? as text) as "hash", "client_id", "id", "candidate_id", "advertiser_id", cast(? as text) as "redirect_uri", cast(? as text) as "scope", released & filled as "released", cast(? as text) as "challenge", cast(? as bigint) as "issued_at", cast(? as bigint) as "expires_at", cast(? as bigint) as "failed_attempts"
  from "grants"
  where "id" = ?
  and "withdrawn_at" is null;
select "released"
  from "grants"
  where "candidate_id" = ?
  and "client_id" = ?
  and coalesce(advertiser_id, 0) = ?
  and "withdrawn_at" is null;
delete from "released_resumes"
  where "grant_id" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);
select "id", "client_id" as "clientId", "advertiser_id" as "advertiserId"
  from "prefilled_applications"
  where "candidate_id" = ?
  and "grant_id" = ?;
insert into "client_ledger" ("client_id", "event_number")
  values (?, ?)
  on conflict ("client_id") do update
  set "event_number" = case when client_ledger.event_number >= ? then client_ledger.event_number + 1 else ? end
  returning "event_number";
insert into "client_events" ("client_id", "number", "type", "detail")
  values (?, ?, ?, ?);
select "agent_id"
  from "oauth_clients"
  where "id" = ?;
select "agent_id"
  from "agent_authorisations"
  where "advertiser_id" = ?
  and "agent_id" = ?;

-- oauth.issueCode
insert into "oauth_codes" ("hash", "client_id", "grant_id", "candidate_id", "advertiser_id", "redirect_uri", "scope", "released", "challenge", "issued_at", "expires_at", "failed_attempts") select cast(? as text) as "hash", "client_id", "id", "candidate_id", "advertiser_id", cast(? as text) as "redirect_uri", cast(? as text) as "scope", released & filled as "released", cast(? as text) as "challenge", cast(? as bigint) as "issued_at", cast(? as bigint) as "expires_at", cast(? as bigint) as "failed_attempts"
  from "grants"
  where "id" = ?
  and "withdrawn_at" is null;

-- oauth.findCode (the secret is what says who asks)
select "client_id" as "clientId", "redirect_uri" as "redirectUri", "scope", "challenge", "expires_at" as "expiresAt", "failed_attempts" as "failedAttempts", "redeemed_at" as "redeemedAt"
  from "oauth_codes"
  where "hash" = ?;

-- oauth.countFailedAttempt (the secret is what says who asks)
update "oauth_codes"
  set "failed_attempts" = "failed_attempts" + ?
  where "hash" = ?;

-- oauth.redeem (the secret is what says who asks)
update "oauth_codes"
  set "redeemed_at" = ?, "token_hash" = ?
  where "hash" = ?
  and "redeemed_at" is null
  and "expires_at" > ?
  and "failed_attempts" < ?
  and "client_id" = ?
  and "redirect_uri" = ?
  and coalesce("challenge", ?) = ?
  and exists (select "grants"."id"
    from "grants"
    where "grants"."id" = "oauth_codes"."grant_id"
    and "grants"."withdrawn_at" is null)
  and exists (select "oauth_clients"."id"
    from "oauth_clients"
    where "oauth_clients"."id" = "oauth_codes"."client_id"
    and "oauth_clients"."disabled_at" is null)
  and exists (select "oauth_client_secrets"."hash"
    from "oauth_client_secrets"
    where "oauth_client_secrets"."client_id" = ?
    and "oauth_client_secrets"."hash" = ?)
  returning "client_id", "scope", "grant_id", "candidate_id", "released", "advertiser_id";
insert into "oauth_tokens" ("hash", "issued_at", "expires_at", "client_id", "scope", "grant_id", "candidate_id", "released", "advertiser_id")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- oauth.revokeTokensOfCode (the secret is what says who asks)
update "oauth_tokens"
  set "revoked_at" = ?
  where "hash" = (select "token_hash"
    from "oauth_codes"
    where "hash" = ?)
  and "revoked_at" is null;

-- oauth.issueClientToken
insert into "oauth_tokens" ("hash", "issued_at", "expires_at", "client_id", "scope", "released") select cast(? as text) as "hash", cast(? as bigint) as "issued_at", cast(? as bigint) as "expires_at", "client"."id" as "client_id", cast(? as text) as "scope", cast(? as bigint) as "released"
  from "oauth_clients" as "client"
  where "client"."id" = ?
  and "client"."disabled_at" is null;

-- oauth.issueAgentToken
insert into "oauth_tokens" ("hash", "issued_at", "expires_at", "client_id", "scope", "released", "advertiser_id", "agent_id", "agent_authorised_at") select cast(? as text) as "hash", cast(? as bigint) as "issued_at", cast(? as bigint) as "expires_at", "client"."id" as "client_id", cast(? as text) as "scope", cast(? as bigint) as "released", "authorisation"."advertiser_id", "authorisation"."agent_id", "authorisation"."authorised_at"
  from "oauth_clients" as "client"
  inner join "agent_authorisations" as "authorisation" on "authorisation"."agent_id" = ?
  and "authorisation"."advertiser_id" = ?
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "authorisation"."advertiser_id"
  where "client"."id" = ?
  and "client"."disabled_at" is null
  and "advertiser"."status" = ?;

-- oauth.findToken (the secret is what says who asks)
select "client_id" as "clientId", "scope", "grant_id" as "grantId", "candidate_id" as "candidateId", "released", "advertiser_id" as "advertiserId", "expires_at" as "expiresAt", "revoked_at" as "revokedAt"
  from "oauth_tokens"
  where "hash" = ?;

-- oauth.findAgentToken (the secret is what says who asks)
select "token"."client_id" as "clientId", "token"."scope", "token"."agent_id" as "agentId", "advertiser"."id" as "advertiserId", "advertiser"."status" as "status", "ledger"."version", "ledger"."event_number" as "eventNumber", "authorisation"."authorised_at" as "authorisedAt", "authorisation"."progress_granted_at" as "progressGrantedAt", "token"."expires_at" as "expiresAt", "token"."revoked_at" as "revokedAt"
  from "oauth_tokens" as "token"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "token"."advertiser_id"
  inner join "advertiser_ledger" as "ledger" on "ledger"."advertiser_id" = "token"."advertiser_id" left join "agent_authorisations" as "authorisation" on "authorisation"."advertiser_id" = "token"."advertiser_id"
  and "authorisation"."agent_id" = "token"."agent_id"
  and "authorisation"."authorised_at" = "token"."agent_authorised_at"
  where "token"."hash" = ?
  and "token"."scope" in (?, ?, ?);

-- sharing.recordPrefill
select "advertiser"."id" as "advertiser_id", "token"."released"
  from "oauth_tokens" as "token"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = ?
  and "advertiser"."status" = 'active'
  inner join "oauth_clients" as "client" on "client"."id" = "token"."client_id"
  where "token"."hash" = ?
  and "token"."revoked_at" is null
  and "token"."expires_at" > ?
  and (client.agent_id is null or exists (select 1
      from agent_authorisations
      where agent_authorisations.advertiser_id = advertiser.id
      and agent_authorisations.agent_id = client.agent_id));
insert into "prefilled_applications" ("id", "retry_key", "client_id", "grant_id", "candidate_id", "advertiser_id", "form_url", "position_title", "position_uri", "position_reference", "country_code", "postal_code", "created_at", "updated_at")
  values (cast(? as text), cast(? as text), cast(? as text), cast(? as text), cast(? as text), cast(? as bigint), cast(? as text), cast(? as text), cast(? as text), cast(? as text), cast(? as text), cast(? as text), cast(? as bigint), cast(? as bigint))
  on conflict ("retry_key") do update
  set "position_title" = excluded.position_title, "position_uri" = excluded.position_uri, "position_reference" = excluded.position_reference, "country_code" = excluded.country_code, "postal_code" = excluded.postal_code, "updated_at" = case when excluded.updated_at > prefilled_applications.updated_at then excluded.updated_at else prefilled_applications.updated_at + 1 end
  returning "id", "created_at" as "createdAt", "updated_at" as "updatedAt";
insert into "deliveries" ("id", "kind", "content", "state", "due_at", "give_up_at", "created_at") select cast(? as text) as "id", cast('first-disclosure' as text) as "kind", cast(? as text) as "content", cast('waiting' as text) as "state", cast(? as bigint) as "due_at", cast(? as bigint) as "give_up_at", cast(? as bigint) as "created_at"
  where true
  and not exists (select "consent"."id"
    from "grants" as "consent"
    where "consent"."candidate_id" = ?
    and "consent"."client_id" = ?
    and (select "disclosures"."id"
      from "disclosures"
      where "grant_id" = "consent"."id"
      limit ?) is not null)
  on conflict ("id") do nothing;
insert into "disclosures" ("id", "candidate_id", "grant_id", "client_id", "kind", "categories", "disclosed_at", "advertiser_id") select cast(? as text) as "id", cast(? as text) as "candidate_id", cast(? as text) as "grant_id", cast(? as text) as "client_id", cast('prefill' as text) as "kind", cast(? as bigint) as "categories", cast(? as bigint) as "disclosed_at", cast(? as bigint) as "advertiser_id";

-- sharing.findAdvertiser
select case when (client.agent_id is null or exists (select 1
      from agent_authorisations
      where agent_authorisations.advertiser_id = advertiser.id
      and agent_authorisations.agent_id = client.agent_id)) then 1 else 0 end as "mayApply"
  from "advertisers" as "advertiser"
  inner join "oauth_clients" as "client" on "client"."id" = ?
  where "advertiser"."id" = ?
  and "advertiser"."status" = ?;

-- sharing.findChosenResume
select "resume"."id", "resume"."file_name" as "fileName", "resume"."content_type" as "contentType", "resume"."blob", "resume"."sha256", "resume"."size", "resume"."uploaded_at" as "uploadedAt", "consent"."candidate_id" as "candidateId", case "resume"."not_judged" when 1 then 'not-judged' else "resume"."scan" end as "scan"
  from "grants" as "consent"
  inner join "resumes" as "resume" on "resume"."id" = "consent"."resume_id"
  and "resume"."candidate_id" = "consent"."candidate_id"
  where "consent"."id" = ?;

-- sharing.findReleasedResume
select "resume"."id", "resume"."file_name" as "fileName", "resume"."content_type" as "contentType", "resume"."blob", "resume"."sha256", "resume"."size", "resume"."uploaded_at" as "uploadedAt", case "resume"."not_judged" when 1 then 'not-judged' else "resume"."scan" end as "scan"
  from "released_resumes" as "released"
  inner join "grants" as "consent" on "consent"."id" = "released"."grant_id"
  inner join "resumes" as "resume" on "resume"."id" = "released"."resume_id"
  where "released"."id" = ?
  and "released"."grant_id" = ?
  and "consent"."resume_id" = "resume"."id";

-- sharing.recordDownload
insert into "disclosures" ("id", "candidate_id", "grant_id", "client_id", "kind", "categories", "disclosed_at", "advertiser_id") select cast(? as text) as "id", cast(? as text) as "candidate_id", cast(? as text) as "grant_id", cast(? as text) as "client_id", cast('resume' as text) as "kind", 32 as "categories", cast(? as bigint) as "disclosed_at", "token"."advertiser_id" as "advertiser_id"
  from "oauth_tokens" as "token"
  where "token"."hash" = ?
  and "token"."revoked_at" is null
  and "token"."expires_at" > ?
  and "token"."released" & 32 <> 0;

-- sharing.complete
select "advertiser_id" as "advertiserId", "completed_at" as "completedAt"
  from "prefilled_applications"
  where "id" = ?
  and "client_id" = ?;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "event_number";
update "prefilled_applications"
  set "completed_at" = ?
  where "id" = ?
  and "client_id" = ?
  and "completed_at" is null
  returning "position_reference";
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);

-- sharing.reportProgress
select "grant_id"
  from "prefilled_applications"
  where "client_id" = ?
  and "id" in (?);
select "id"
  from "grants"
  where "client_id" = ?
  and "id" in (?)
  and "withdrawn_at" is null
  order by "id";
select "id", "grant_id" as "grantId", "created_at" as "createdAt"
  from "prefilled_applications"
  where "client_id" = ?
  and "id" in (?)
  order by "id";
select "prefilled_application_id" as "id", "position", "at", "state"
  from "prefill_progress"
  where "prefilled_application_id" in (?)
  order by "prefilled_application_id", "position";
insert into "prefill_progress" ("prefilled_application_id", "position", "at", "state", "reason")
  values (?, ?, ?, ?, ?)
  on conflict ("prefilled_application_id", "position") do update
  set "at" = ?, "reason" = ?;

-- history.disclosures
select "disclosure"."id", "disclosure"."kind", "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "disclosure"."categories", "disclosure"."disclosed_at" as "disclosedAt"
  from "disclosures" as "disclosure"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = ?
  order by "disclosure"."disclosed_at" desc, "disclosure"."id" desc
  limit ?;
select "disclosure"."id", "disclosure"."kind", "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "disclosure"."categories", "disclosure"."disclosed_at" as "disclosedAt"
  from "disclosures" as "disclosure"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = ?
  and ("disclosure"."disclosed_at", "disclosure"."id") < (?, ?)
  order by "disclosure"."disclosed_at" desc, "disclosure"."id" desc
  limit ?;

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
  where "disclosure"."candidate_id" = ?
  and "consent"."candidate_id" = ? group by "disclosure"."grant_id", "client"."id", "client"."name", "client"."logo_hash", "client"."agent_id", "advertiser"."id", "advertiser"."name", "disclosure"."categories", "consent"."withdrawn_at"
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
  where "application"."candidate_id" = ?
  and "report"."position" = (select max("other"."position") as "position"
    from "prefill_progress" as "other"
    where "other"."prefilled_application_id" = "application"."id")
  order by "application"."created_at" desc, "application"."id" desc
  limit ?;

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
    limit ?) as "state"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = ?
  order by "application"."created_at" desc, "application"."id" desc
  limit ?;
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
    limit ?) as "state"
  from "prefilled_applications" as "application"
  inner join "oauth_clients" as "client" on "client"."id" = "application"."client_id"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "application"."advertiser_id"
  where "application"."candidate_id" = ?
  and ("application"."created_at", "application"."id") < (?, ?)
  order by "application"."created_at" desc, "application"."id" desc
  limit ?;

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
  where "consent"."candidate_id" = ?
  and "consent"."withdrawn_at" is null
  order by "consent"."decided_at" desc, "consent"."id";

-- serviceClock.update (the processes share the work between them, and nobody owns it)
select "ticks", "running_ms" as "runningMs", "seen_at" as "seenAt", "doubted_from" as "doubtedFrom", "doubt_ms" as "doubtMs", "further_ms" as "furtherMs"
  from "service_clock";
select max("ended_at") as "seenAt"
  from "task_runs";
insert into "service_clock" ("id", "ticks", "running_ms", "seen_at", "doubted_from", "doubt_ms", "further_ms")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do update
  set "ticks" = ?, "running_ms" = ?, "seen_at" = ?, "doubted_from" = ?, "doubt_ms" = ?, "further_ms" = ?;

-- serviceClock.read (the processes share the work between them, and nobody owns it)
select "ticks", "running_ms" as "runningMs", "seen_at" as "seenAt", "doubted_from" as "doubtedFrom", "doubt_ms" as "doubtMs", "further_ms" as "furtherMs"
  from "service_clock";

-- serviceClock.confirm (the processes share the work between them, and nobody owns it)
select "ticks", "running_ms" as "runningMs", "seen_at" as "seenAt", "doubted_from" as "doubtedFrom", "doubt_ms" as "doubtMs", "further_ms" as "furtherMs"
  from "service_clock";
update "service_clock"
  set "doubted_from" = ?, "seen_at" = ?;

-- leases.take (the processes share the work between them, and nobody owns it)
insert into "leases" ("name", "holder", "held_until")
  values (?, ?, ?)
  on conflict ("name") do update
  set "holder" = ?, "held_until" = ?
  where ("leases"."held_until" <= ? or "leases"."held_until" > ?);

-- leases.renew (the processes share the work between them, and nobody owns it)
update "leases"
  set "held_until" = ?
  where "name" = ?
  and "holder" = ?;

-- leases.release (the processes share the work between them, and nobody owns it)
delete from "leases"
  where "name" = ?
  and "holder" = ?;

-- leases.isHeld (the processes share the work between them, and nobody owns it)
select "name"
  from "leases"
  where "name" = ?
  and "held_until" > ?;

-- backups.setLast (a backup is of the whole database, of all owners)
select "value"
  from "meta"
  where "key" = ?;
insert into "meta" ("key", "value")
  values (?, ?)
  on conflict ("key") do update
  set "value" = ?;

-- backups.last (a backup is of the whole database, of all owners)
select "value"
  from "meta"
  where "key" = ?;

-- backups.copiedAt (a backup is of the whole database, of all owners)
select "value"
  from "meta"
  where "key" = ?;

-- figures.oldestUnjudged (the age of the oldest of all, without its owner)
select min("uploaded_at") as "at"
  from "application_files"
  where "scan" = 'unscanned'
  and "blob" > ?
  and "not_judged" = ?;
select min("uploaded_at") as "at"
  from "resumes"
  where "scan" = 'unscanned'
  and "blob" > ?
  and "not_judged" = ?;

-- unanswered.companies (the numbers of all companies, without their applications)
select "id" as "advertiserId", "answer_days" as "answerDays", "unanswered"
  from "advertisers"
  where "id" > ?
  order by "id"
  limit ?;

-- unanswered.total (one number of all companies)
select sum("unanswered") as "total"
  from "advertisers";

-- unanswered.record
update "advertisers"
  set "unanswered" = ?
  where "id" = ?;

-- rateCounts.add (the nodes count together, by hashes that belong to no owner)
insert into rate_counts (name, key, time_window, hits, expires_at) select name, key, time_window, cast(sum(hits) as bigint), max(expires_at)
  from (select value ->> 0 as name, value ->> 1 as key, value ->> 2 as time_window, value ->> 3 as hits, value ->> 4 as expires_at
    from json_each(?)) group by name, key, time_window
  order by name, key, time_window
  on conflict (name, key, time_window) do update
  set hits = rate_counts.hits + excluded.hits
  returning name, key, time_window, hits;

-- slidingCounts.hit (the nodes count together, by hashes that belong to no owner)
insert into "rate_counts" ("name", "key", "time_window", "hits", "expires_at")
  values (?, ?, ?, ?, ?)
  on conflict ("name", "key", "time_window") do update
  set "hits" = rate_counts.hits + excluded.hits;
select "time_window" as "window", "hits"
  from "rate_counts"
  where "name" = ?
  and "key" = ?
  and "time_window" >= ?
  and "time_window" <= ?
  order by "time_window";

-- expiry.removeTokens (removes what is over, whoever had it)
delete from "oauth_tokens"
  where ("hash") in ( select "hash"
    from "oauth_tokens"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );

-- expiry.removeCodes (removes what is over, whoever had it)
delete from "oauth_codes"
  where "hash" in (select "code"."hash"
    from "oauth_codes" as "code"
    where "code"."expires_at" <= ?
    and not exists (select "token"."hash"
      from "oauth_tokens" as "token"
      where "token"."hash" = "code"."token_hash"
      and "token"."expires_at" > ?)
    order by "code"."expires_at"
    limit ?);

-- expiry.removeSessions (removes what is over, whoever had it)
delete from "sessions"
  where ("hash") in ( select "hash"
    from "sessions"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );

-- expiry.removeEmailCodes (removes what is over, whoever had it)
delete from "email_codes"
  where ("challenge") in ( select "challenge"
    from "email_codes"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );

-- expiry.removeUndoLinks (removes what is over, whoever had it)
delete from "undo_links"
  where ("hash") in ( select "hash"
    from "undo_links"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );

-- expiry.removeLinks (removes what is over, whoever had it)
delete from "account_links"
  where ("hash") in ( select "hash"
    from "account_links"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );

-- expiry.removeInvitations (removes what is over, whoever had it)
delete from "operator_invitations"
  where ("hash") in ( select "hash"
    from "operator_invitations"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );
delete from "agent_invitations"
  where ("hash") in ( select "hash"
    from "agent_invitations"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );
delete from "invitations"
  where ("hash") in ( select "hash"
    from "invitations"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );

-- expiry.removeSentForms (removes what is over, whoever had it)
delete from "sent_forms"
  where ("key") in ( select "key"
    from "sent_forms"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );

-- expiry.removeRateCounts (removes what is over, whoever had it)
delete from "rate_counts"
  where ("name", "key", "time_window") in ( select "name", "key", "time_window"
    from "rate_counts"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );

-- expiry.removeEvents (removes what is over, whoever had it)
select "advertiser_id" as id
  from "advertiser_ledger"
  where exists (select 1
    from "events"
    where "events"."advertiser_id" = "advertiser_ledger"."advertiser_id"
    and number < ?)
  order by "advertiser_id"
  limit ?;
select "client_id" as id
  from "client_ledger"
  where exists (select 1
    from "client_events"
    where "client_events"."client_id" = "client_ledger"."client_id"
    and number < ?)
  order by "client_id"
  limit ?;

-- events.lastOf (the streams that requests wait for: each request was allowed to)
select "advertiser_id" as id, event_number as number
  from "advertiser_ledger"
  where "advertiser_id" in (select value
    from json_each(?));
select "client_id" as id, event_number as number
  from "client_ledger"
  where "client_id" in (select value
    from json_each(?));

-- events.whenDurable


-- events.newest
select "number", "type", "application_id" as "applicationId", "detail"
  from "events"
  where "advertiser_id" = ?
  and (1 << cast(type as integer)) & cast(? as bigint) <> 0
  order by "number" desc
  limit ?;
select "number", "type", "application_id" as "applicationId", "detail"
  from "events"
  where "advertiser_id" = ?
  and "number" < ?
  and (1 << cast(type as integer)) & cast(? as bigint) <> 0
  order by "number" desc
  limit ?;

-- events.page
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "event"."number", "event"."type", "event"."detail", "event"."application_id" as "applicationId"
  from "advertiser_ledger" as "ledger" left join (select "number", "type", "application_id", "detail"
    from "events"
    where "advertiser_id" = ?
    and "number" > ?
    and "number" <= ?
    and (1 << cast(type as integer)) & cast(? as bigint) <> 0
    order by "number"
    limit ? + 0) as "event" on true
  where "ledger"."advertiser_id" = ?;
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "event"."number", "event"."type", "event"."detail", "event"."application_id" as "applicationId"
  from "advertiser_ledger" as "ledger" left join (select "number", "type", "application_id", "detail"
    from "events"
    where "advertiser_id" = ?
    and "number" > ?
    and "number" <= ?
    and (1 << cast(type as integer)) & cast(? as bigint) <> 0
    and (type not in (7, 8) or detail = cast(? as text))
    order by "number"
    limit ? + 0) as "event" on true
  where "ledger"."advertiser_id" = ?;
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "event"."number", "event"."type", "event"."detail", "event"."application_id" as "applicationId", (select piece.body || piece.primary_info as "text"
    from "application_pieces" as "piece"
    where "piece"."advertiser_id" = ?
    and "piece"."format" = 'xml'
    and "piece"."id" = "event"."application_id") as "application"
  from "advertiser_ledger" as "ledger" left join (select "number", "type", "application_id", "detail"
    from "events"
    where "advertiser_id" = ?
    and "number" > ?
    and "number" <= ?
    and (1 << cast(type as integer)) & cast(? as bigint) <> 0
    order by "number"
    limit ? + 0) as "event" on true
  where "ledger"."advertiser_id" = ?;
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "event"."number", "event"."type", "event"."detail", "event"."application_id" as "applicationId", (select piece.body || piece.primary_info as "text"
    from "application_pieces" as "piece"
    where "piece"."advertiser_id" = ?
    and "piece"."format" = 'xml'
    and "piece"."id" = "event"."application_id") as "application"
  from "advertiser_ledger" as "ledger" left join (select "number", "type", "application_id", "detail"
    from "events"
    where "advertiser_id" = ?
    and "number" > ?
    and "number" <= ?
    and (1 << cast(type as integer)) & cast(? as bigint) <> 0
    and (type not in (7, 8) or detail = cast(? as text))
    order by "number"
    limit ? + 0) as "event" on true
  where "ledger"."advertiser_id" = ?;

-- events.jsonPage
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "page"."json", "page"."ids", exists (select 1 as "one"
    from "events"
    where "advertiser_id" = ?
    and "number" > "page"."newest"
    and "number" <= ?
    and (1 << cast(type as integer)) & cast(? as bigint) <> 0) as "hasMore"
  from "advertiser_ledger" as "ledger"
  inner join (select max(number) as "newest", cast(? || string_agg(cast(? as text) || number || case type when 1 then '","type":"application.created' when 2 then '","type":"application.imported' when 3 then '","type":"application.erased' when 4 then '","type":"application.withdrawn' when 5 then '","type":"attachment.scanned' when 6 then '","type":"prefill.completed' when 7 then '","type":"agent.authorised' when 8 then '","type":"agent.withdrawn' when 9 then '","type":"webhook.failing' when 10 then '","type":"webhook.stopped' when 11 then '","type":"application.status-changed' when 12 then '","type":"application.keep-changed' end || cast(? as text) || substr(number || ' ', 1, 23) || cast(? as text) || coalesce(',"applicationId":' || application_id, '') || case detail when '' then '}' else ',' || detail || '}' end, '},') || '}' || ? as blob) as "json", null as "ids"
    from (select "number", "type", "application_id", "detail"
      from "events"
      where "advertiser_id" = ?
      and "number" > ?
      and "number" <= ?
      and (1 << cast(type as integer)) & cast(? as bigint) <> 0
      order by "number"
      limit ? + 0) as "event") as "page" on true
  where "ledger"."advertiser_id" = ?;
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "page"."json", "page"."ids", exists (select 1 as "one"
    from "events"
    where "advertiser_id" = ?
    and "number" > "page"."newest"
    and "number" <= ?
    and (1 << cast(type as integer)) & cast(? as bigint) <> 0
    and (type not in (7, 8) or detail = cast(? as text))) as "hasMore"
  from "advertiser_ledger" as "ledger"
  inner join (select max(number) as "newest", cast(? || string_agg(cast(? as text) || number || case type when 1 then '","type":"application.created' when 2 then '","type":"application.imported' when 3 then '","type":"application.erased' when 4 then '","type":"application.withdrawn' when 5 then '","type":"attachment.scanned' when 6 then '","type":"prefill.completed' when 7 then '","type":"agent.authorised' when 8 then '","type":"agent.withdrawn' when 9 then '","type":"webhook.failing' when 10 then '","type":"webhook.stopped' when 11 then '","type":"application.status-changed' when 12 then '","type":"application.keep-changed' end || cast(? as text) || substr(number || ' ', 1, 23) || cast(? as text) || coalesce(',"applicationId":' || application_id, '') || case detail when '' then '}' else ',' || detail || '}' end, '},') || '}' || ? as blob) as "json", null as "ids"
    from (select "number", "type", "application_id", "detail"
      from "events"
      where "advertiser_id" = ?
      and "number" > ?
      and "number" <= ?
      and (1 << cast(type as integer)) & cast(? as bigint) <> 0
      and (type not in (7, 8) or detail = cast(? as text))
      order by "number"
      limit ? + 0) as "event") as "page" on true
  where "ledger"."advertiser_id" = ?;
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "page"."json", "page"."ids", exists (select 1 as "one"
    from "events"
    where "advertiser_id" = ?
    and "number" > "page"."newest"
    and "number" <= ?
    and (1 << cast(type as integer)) & cast(? as bigint) <> 0) as "hasMore"
  from "advertiser_ledger" as "ledger"
  inner join (select max(number) as "newest", cast(? || string_agg(cast(? as text) || number || case type when 1 then '","type":"application.created' when 2 then '","type":"application.imported' when 3 then '","type":"application.erased' when 4 then '","type":"application.withdrawn' when 5 then '","type":"attachment.scanned' when 6 then '","type":"prefill.completed' when 7 then '","type":"agent.authorised' when 8 then '","type":"agent.withdrawn' when 9 then '","type":"webhook.failing' when 10 then '","type":"webhook.stopped' when 11 then '","type":"application.status-changed' when 12 then '","type":"application.keep-changed' end || cast(? as text) || substr(number || ' ', 1, 23) || cast(? as text) || coalesce(',"applicationId":' || application_id, '') || case detail when '' then '}' else ',' || detail || '}' end || coalesce(',"application":' || body || primary_info || '}', ''), '},') || '}' || ? as blob) as "json", string_agg(case when body is not null then type || ' ' || application_id end, ' ') as "ids"
    from (select "number", "type", "application_id", "detail"
      from "events"
      where "advertiser_id" = ?
      and "number" > ?
      and "number" <= ?
      and (1 << cast(type as integer)) & cast(? as bigint) <> 0
      order by "number"
      limit ? + 0) as "event" left join "application_pieces" as "piece" on "piece"."advertiser_id" = ?
    and "piece"."format" = 'json'
    and "piece"."id" = "event"."application_id") as "page" on true
  where "ledger"."advertiser_id" = ?;
select "ledger"."event_number" as "last", "ledger"."events_from" as "from", (select "value"
    from "meta"
    where "key" = 'restored') as "restoredAt", "page"."json", "page"."ids", exists (select 1 as "one"
    from "events"
    where "advertiser_id" = ?
    and "number" > "page"."newest"
    and "number" <= ?
    and (1 << cast(type as integer)) & cast(? as bigint) <> 0
    and (type not in (7, 8) or detail = cast(? as text))) as "hasMore"
  from "advertiser_ledger" as "ledger"
  inner join (select max(number) as "newest", cast(? || string_agg(cast(? as text) || number || case type when 1 then '","type":"application.created' when 2 then '","type":"application.imported' when 3 then '","type":"application.erased' when 4 then '","type":"application.withdrawn' when 5 then '","type":"attachment.scanned' when 6 then '","type":"prefill.completed' when 7 then '","type":"agent.authorised' when 8 then '","type":"agent.withdrawn' when 9 then '","type":"webhook.failing' when 10 then '","type":"webhook.stopped' when 11 then '","type":"application.status-changed' when 12 then '","type":"application.keep-changed' end || cast(? as text) || substr(number || ' ', 1, 23) || cast(? as text) || coalesce(',"applicationId":' || application_id, '') || case detail when '' then '}' else ',' || detail || '}' end || coalesce(',"application":' || body || primary_info || '}', ''), '},') || '}' || ? as blob) as "json", string_agg(case when body is not null then type || ' ' || application_id end, ' ') as "ids"
    from (select "number", "type", "application_id", "detail"
      from "events"
      where "advertiser_id" = ?
      and "number" > ?
      and "number" <= ?
      and (1 << cast(type as integer)) & cast(? as bigint) <> 0
      and (type not in (7, 8) or detail = cast(? as text))
      order by "number"
      limit ? + 0) as "event" left join "application_pieces" as "piece" on "piece"."advertiser_id" = ?
    and "piece"."format" = 'json'
    and "piece"."id" = "event"."application_id") as "page" on true
  where "ledger"."advertiser_id" = ?;

-- expiry.removeJobReports (removes what is over, whoever had it)
delete from "job_reports"
  where ("id") in ( select "id"
    from "job_reports"
    where "last_at" <= ?
    order by "last_at"
    limit ? );

-- expiry.removeAdDecisions (removes what is over, whoever had it)
delete from "ad_decisions"
  where ("job_ad_id", "number") in ( select "job_ad_id", "number"
    from "ad_decisions"
    where "decided_at" <= ?
    order by "decided_at"
    limit ? );

-- expiry.removeAdVersions (removes what is over, whoever had it)
delete from "ad_versions"
  where ("advertiser_id", "job_ad_id", "version") in ( select "advertiser_id", "job_ad_id", "version"
    from "ad_versions"
    where "replaced_at" <= ?
    order by "replaced_at"
    limit ? );

-- expiry.removeDrafts (removes what is over, whoever had it)
select id
  from drafts
  where expires_at <= ?
  order by expires_at
  limit ? ;

-- expiry.removeRecentDecisions (removes what is over, whoever had it)
delete from "recent_decisions"
  where ("advertiser_id", "application_id") in ( select "advertiser_id", "application_id"
    from "recent_decisions"
    where "decided_at" <= ?
    order by "decided_at"
    limit ? );

-- expiry.removeReads (removes what is over, whoever had it)
delete from "application_reads"
  where ("advertiser_id", "application_id", "day", "reader", "way") in ( select "advertiser_id", "application_id", "day", "reader", "way"
    from "application_reads"
    where "day" <= ?
    order by "day"
    limit ? );

-- expiry.removeListReads (removes what is over, whoever had it)
delete from "list_reads"
  where ("advertiser_id", "day", "reader", "way", "first_id") in ( select "advertiser_id", "day", "reader", "way", "first_id"
    from "list_reads"
    where "day" <= ?
    order by "day"
    limit ? );

-- expiry.removeAgentCalls (removes what is over, whoever had it)
delete from "agent_call_days"
  where ("agent_id", "day", "advertiser_id", "code") in ( select "agent_id", "day", "advertiser_id", "code"
    from "agent_call_days"
    where "day" <= ?
    order by "day"
    limit ? );

-- expiry.removeLeases (removes what is over, whoever had it)
delete from "leases"
  where ("name") in ( select "name"
    from "leases"
    where "held_until" <= ?
    order by "held_until"
    limit ? );

-- expiry.removeUnconfirmed (removes what is over, whoever had it)
select "value"
  from "meta"
  where "key" = ?;
insert into "candidates" ("id", "email", "password_hash", "first_name", "last_name", "profile", "created_at")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("email") do nothing;
select "candidates"."id"
  from "candidates"
  where "candidates"."email_confirmed_at" is null
  and not exists (select "account_links"."hash"
    from "account_links"
    where "account_links"."candidate_id" = "candidates"."id")
  and "candidates"."created_at" < ?
  order by "candidates"."created_at"
  limit ?;
delete from "candidates"
  where "id" in (select "candidates"."id"
    from "candidates"
    where "candidates"."email_confirmed_at" is null
    and not exists (select "account_links"."hash"
      from "account_links"
      where "account_links"."candidate_id" = "candidates"."id")
    and "candidates"."id" in (?));

-- expiry.removeMailCounts (removes what is over, whoever had it)
delete from "mail_counts"
  where ("recipient_hash") in ( select "recipient_hash"
    from "mail_counts"
    where "hour" <= ?
    order by "hour"
    limit ? );

-- expiry.removeSignInFailures (removes what is over, whoever had it)
delete from "sign_in_failures"
  where ("key") in ( select "key"
    from "sign_in_failures"
    where "last_failed_at" <= ?
    and key < 'browser:'
    order by "last_failed_at"
    limit ? );

-- expiry.removeKnownBrowsers (removes what is over, whoever had it)
delete from "sign_in_failures"
  where ("key") in ( select "key"
    from "sign_in_failures"
    where "last_failed_at" <= ?
    order by "last_failed_at"
    limit ? );

-- expiry.removeIntakeKeys (removes what is over, whoever had it)
delete from "intake_keys"
  where ("client_id", "key") in ( select "client_id", "key"
    from "intake_keys"
    where "expires_at" <= ?
    order by "expires_at"
    limit ? );

-- scanning.unscanned (the bytes are judged once, for everybody who has them)
select "blob", "size"
  from (select "blob", "size"
    from (select "blob", "size"
      from "application_files"
      where "scan" = 'unscanned'
      and "blob" > ?
      order by "blob"
      limit ?) as "page"
    union select "blob", "size"
    from (select "blob", "size"
      from "resumes"
      where "scan" = 'unscanned'
      and "blob" > ?
      order by "blob"
      limit ?) as "page"
    union select "blob", "size"
    from (select "blob", "size"
      from "draft_files"
      where "scan" = 'unscanned'
      and "blob" > ?
      order by "blob"
      limit ?) as "page") as "page"
  order by "blob"
  limit ?;

-- scanning.resumesOf (the bytes are judged once, for everybody who has them)
select "candidate_id" as "candidateId", "id" as "resumeId", case "resumes"."not_judged" when 1 then 'not-judged' else "resumes"."scan" end as "scan"
  from "resumes"
  where "blob" = ?;

-- scanning.attachmentsOf (the bytes are judged once, for everybody who has them)
select "advertiser_id" as "advertiserId", "application_id" as "applicationId", "type", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "blob" = ?;

-- scanning.draftFilesOf (the bytes are judged once, for everybody who has them)
select case "draft_files"."not_judged" when 1 then 'not-judged' else "draft_files"."scan" end as "scan"
  from "draft_files"
  where "blob" = ?;

-- scanning.recordDraftVerdict (the bytes are judged once, for everybody who has them)
update "draft_files"
  set "scan" = ?, "not_judged" = ?
  where "blob" = ?
  and "scan" in (?, ?);

-- scanning.recordResumeVerdict
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "blob"
  from "resumes"
  where "candidate_id" = ?
  and "id" = ?
  and "scan" in (?, ?);
update "resumes"
  set "scan" = ?, "not_judged" = ?
  where "candidate_id" = ?
  and "id" = ?;
update "resumes"
  set "scan" = ?, "not_judged" = ?, "blob" = ?, "sha256" = ?, "size" = ?
  where "candidate_id" = ?
  and "id" = ?;
insert into "loose_blobs" ("blob", "since")
  values (?, ?)
  on conflict ("blob") do update
  set "since" = case when "loose_blobs"."since" < ? then ? else "loose_blobs"."since" + ? end;

-- blobReferences.described (the bytes of a file are kept or removed for everybody who has them)
select "blob", "sha256", "size"
  from "application_files"
  where "blob" in (?)
  union all select "blob", "sha256", "size"
  from "resumes"
  where "blob" in (?)
  union all select "blob", "sha256", "size"
  from "draft_files"
  where "blob" in (?);

-- blobReferences.named (the bytes of a file are kept or removed for everybody who has them)
select "blob"
  from "application_files"
  where "blob" in (?)
  union select "blob"
  from "resumes"
  where "blob" in (?)
  union select "blob"
  from "draft_files"
  where "blob" in (?);

-- blobReferences.loose (the bytes of a file are kept or removed for everybody who has them)
select "blob", "since"
  from "loose_blobs"
  order by "since"
  limit ?;

-- blobReferences.forgetLoose (the bytes of a file are kept or removed for everybody who has them)
delete from "loose_blobs"
  where (("blob" = ?
      and "since" = ?) or ("blob" = ?
      and "since" = ?));

-- blobReferences.databaseId (the bytes of a file are kept or removed for everybody who has them)
select "value"
  from "meta"
  where "key" = ?;

-- blobReferences.makeDatabaseId (the bytes of a file are kept or removed for everybody who has them)
insert into "meta" ("key", "value")
  values (?, ?)
  on conflict ("key") do nothing;
select "value"
  from "meta"
  where "key" = ?;

-- blobReferences.restoredAt (the bytes of a file are kept or removed for everybody who has them)
select "value"
  from "meta"
  where "key" = ?;

-- blobReferences.sweptUntil (the bytes of a file are kept or removed for everybody who has them)
select "value"
  from "meta"
  where "key" = ?;

-- blobReferences.setSweptUntil (the bytes of a file are kept or removed for everybody who has them)
insert into "meta" ("key", "value")
  values (?, ?)
  on conflict ("key") do update
  set "value" = ?
  where "meta"."value" < ?;

-- ownData.account
select "id", "email", "email_confirmed_at", "first_name", "last_name", "profile", "created_at", "muted", "mail_refused_at"
  from "candidates"
  where "id" = ?;

-- ownData.reports (the confirmed address of the account is what says who asks)
select "id", "job_ad_id" as "jobAdId", "reason", "details", "reported_at" as "reportedAt", "outcome"
  from "job_reports"
  where "email" = ?
  order by "reported_at";

-- ownData.consents
select "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName", "consent"."scope", "consent"."released", "consent"."filled", "consent"."created_at" as "createdAt", "consent"."decided_at" as "decidedAt", "consent"."withdrawn_at" as "withdrawnAt"
  from "grants" as "consent"
  inner join "oauth_clients" as "client" on "client"."id" = "consent"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "consent"."advertiser_id"
  where "consent"."candidate_id" = ?
  order by "consent"."created_at", "consent"."id";

-- ownData.memberships
select "advertiser"."name" as "advertiserName", "membership"."role", "membership"."created_at" as "since", "membership"."notify" as "rhythm"
  from "memberships" as "membership"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "membership"."advertiser_id"
  where "membership"."candidate_id" = ?
  order by "membership"."created_at", "advertiser"."id";
select "agent"."name" as "agentName", "membership"."role", "membership"."created_at" as "since"
  from "agent_members" as "membership"
  inner join "agents" as "agent" on "agent"."id" = "membership"."agent_id"
  where "membership"."candidate_id" = ?
  order by "membership"."created_at", "agent"."id";
select "role", "created_at" as "since"
  from "operators"
  where "candidate_id" = ?;

-- ownData.links
select "purpose", "email", "expires_at" as "expiresAt"
  from "account_links"
  where "candidate_id" = ?
  and "expires_at" > ?;
select "email", "expires_at" as "expiresAt"
  from "undo_links"
  where "candidate_id" = ?
  and "hash" = "change_id"
  and "expires_at" > ?;

-- ownData.applications
select "own"."application_id", "own"."job_ad_id", "own"."job_title" as "ad_title", "own"."job_location", "own"."advertiser_name", "own"."submitted_at" as "submittedAt", "screen"."json", "screen"."details", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."erased_at", "application"."is_new_to_work_force", "application"."status", "kept"."until" as "keptUntil", "own"."advertiser_id", "application"."privacy_version" as "version", "application"."job_title", "application"."company_name", "application"."time_in_role_months"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "own"."advertiser_id"
  and "kept"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit ?;
select "file"."application_id", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."blob", "file"."sha256", "file"."size", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan", "file"."uploaded_at" as "uploadedAt"
  from "own_applications" as "own"
  inner join "application_files" as "file" on "file"."advertiser_id" = "own"."advertiser_id"
  and "file"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and "own"."submitted_at" >= ?
  and "own"."submitted_at" <= ?;
select "own"."application_id", "entry"."at", "entry"."kind", "entry"."status", "entry"."text", "entry"."position", "entry"."former", case when (select shows_reasons
    from advertisers
    where id = own.advertiser_id) = 1 then entry.reason end as "reason"
  from "own_applications" as "own"
  inner join "application_history" as "entry" on "entry"."advertiser_id" = "own"."advertiser_id"
  and "entry"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and "own"."submitted_at" >= ?
  and "own"."submitted_at" <= ?
  and "entry"."kind" in (?, ?, ?);
select "own"."advertiser_id" as "advertiserId", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("read"."first_at") as "firstAt", max("read"."last_at") as "lastAt"
  from "own_applications" as "own"
  inner join "application_reads" as "read" on "read"."advertiser_id" = "own"."advertiser_id"
  and "read"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and "own"."application_id" = ?
  and (select "application"."erased_at"
    from "applications" as "application"
    where "application"."advertiser_id" = "own"."advertiser_id"
    and "application"."id" = "own"."application_id") is null group by "own"."advertiser_id", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "advertiser_id" as "advertiserId", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("first_at") as "firstAt", max("last_at") as "lastAt"
  from "list_reads"
  where "advertiser_id" in (select "own"."advertiser_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?
    and "own"."application_id" = ?)
  and "last_id" >= (select min("own"."application_id") as "first"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?
    and "own"."application_id" = ?)
  and "first_id" <= (select max("own"."application_id") as "last"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?
    and "own"."application_id" = ?)
  and exists (select "own"."application_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?
    and "own"."application_id" = ?
    and (select "application"."erased_at"
      from "applications" as "application"
      where "application"."advertiser_id" = "own"."advertiser_id"
      and "application"."id" = "own"."application_id") is null
    and +own.advertiser_id = "list_reads"."advertiser_id"
    and +own.application_id >= "list_reads"."first_id"
    and +own.application_id <= "list_reads"."last_id") group by "advertiser_id", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "own"."advertiser_id" as "advertiserId", min("own"."submitted_at") as "at"
  from "own_applications" as "own"
  where "own"."candidate_id" = ?
  and "own"."application_id" = ? group by "own"."advertiser_id";
select "own"."application_id", "own"."job_ad_id", "own"."job_title" as "ad_title", "own"."job_location", "own"."advertiser_name", "own"."submitted_at" as "submittedAt", "screen"."json", "screen"."details", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."erased_at", "application"."is_new_to_work_force", "application"."status", "kept"."until" as "keptUntil", "own"."advertiser_id", "application"."privacy_version" as "version", "application"."job_title", "application"."company_name", "application"."time_in_role_months"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "own"."advertiser_id"
  and "kept"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and ("own"."submitted_at", "own"."application_id") < (?, ?)
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit ?;

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
  where "application"."candidate_id" = ?
  order by "application"."created_at" desc, "application"."id" desc
  limit ?;
select "prefilled_application_id" as "id", "at", "state" as "status", "reason"
  from "prefill_progress"
  where "prefilled_application_id" in (?, ?, ?)
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
  where "application"."candidate_id" = ?
  and ("application"."created_at", "application"."id") < (?, ?)
  order by "application"."created_at" desc, "application"."id" desc
  limit ?;

-- ownData.recipients
select distinct "client"."name" as "clientName", case when (client.agent_id is not null or exists (select 1
      from oauth_client_advertisers
      where oauth_client_advertisers.client_id = client.id
      and oauth_client_advertisers.advertiser_id = advertiser.id)) then advertiser.name end as "advertiserName"
  from "disclosures" as "disclosure"
  inner join "oauth_clients" as "client" on "client"."id" = "disclosure"."client_id" left join "advertisers" as "advertiser" on "advertiser"."id" = "disclosure"."advertiser_id"
  where "disclosure"."candidate_id" = ?
  order by "clientName", "advertiserName"
  limit ?;

-- ownData.advertisersAppliedTo
select distinct "advertiser_name"
  from "own_applications"
  where "candidate_id" = ?
  order by "advertiser_name"
  limit ?;

-- ownApplications.send
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "application_id"
  from "own_applications"
  where "candidate_id" = ?
  and "form_key" = ?;
select "hold"
  from "job_ads"
  where "advertiser_id" = ?
  and "id" = ?;
update "drafts"
  set "version" = "version"
  where "id" = ?
  and "candidate_id" = ?
  returning "version";
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > ? then last_submitted_at else ? end, "version" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end, "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "last_submitted_at", "event_number", null as "id", null as "server";
update counters
  set value = value + 1
  where name = 'application_ids'
  returning value as id;
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values (?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
insert into "application_terms" ("advertiser_id", "term", "application_id") select ?, value, ?
  from json_each(?);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = application_counts.applications + 1;
insert into "own_applications" ("candidate_id", "form_key", "advertiser_id", "application_id", "job_ad_id", "job_title", "job_location", "advertiser_name", "submitted_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "id", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "is_default"
  from "resumes"
  where "candidate_id" = ?
  and "id" = ?
  and "scan" != ?;

-- drafts.list
select "id", "job_ad_id" as "jobAdId", "job_title" as "jobTitle", "advertiser_name" as "advertiserName", "content", "version", "saved_at" as "savedAt", "expires_at" as "expiresAt"
  from "drafts"
  where "candidate_id" = ?
  order by "saved_at" desc, "id";
select "draft_id" as "draftId", "field", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", case "draft_files"."not_judged" when 1 then 'not-judged' else "draft_files"."scan" end as "scan"
  from "draft_files"
  where "draft_id" in (?)
  order by "draft_id", "field";

-- drafts.find
select "id", "job_ad_id" as "jobAdId", "job_title" as "jobTitle", "advertiser_name" as "advertiserName", "content", "version", "saved_at" as "savedAt", "expires_at" as "expiresAt"
  from "drafts"
  where "candidate_id" = ?
  and "job_ad_id" = ?
  order by "saved_at" desc, "id";
select "draft_id" as "draftId", "field", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", case "draft_files"."not_judged" when 1 then 'not-judged' else "draft_files"."scan" end as "scan"
  from "draft_files"
  where "draft_id" in (?)
  order by "draft_id", "field";

-- drafts.own
select "id", "job_ad_id" as "jobAdId", "job_title" as "jobTitle", "advertiser_name" as "advertiserName", "content", "version", "saved_at" as "savedAt", "expires_at" as "expiresAt"
  from "drafts"
  where "candidate_id" = ?
  and "id" = ?
  order by "saved_at" desc, "id";
select "draft_id" as "draftId", "field", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", case "draft_files"."not_judged" when 1 then 'not-judged' else "draft_files"."scan" end as "scan"
  from "draft_files"
  where "draft_id" in (?)
  order by "draft_id", "field";

-- drafts.save
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "application_id"
  from "own_applications"
  where "candidate_id" = ?
  and "form_key" = ?;
select "id", "version", "content", "saved_at"
  from "drafts"
  where "candidate_id" = ?
  and "job_ad_id" = ?;
select count(*) as "count"
  from "drafts"
  where "candidate_id" = ?;
insert into "drafts" ("id", "candidate_id", "job_ad_id", "job_title", "advertiser_name", "content", "version", "saved_at", "expires_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);
delete from "draft_files"
  where "draft_id" = ?
  and "field" in (?, ?)
  returning "blob";
insert into "draft_files" ("draft_id", "field", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- drafts.discard
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
update "drafts"
  set "version" = "version"
  where "id" in (?)
  and "candidate_id" = ?
  returning "id";
delete from "draft_files"
  where "draft_id" in (?)
  returning "blob";
delete from "drafts"
  where "id" in (?)
  and "candidate_id" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);

-- ownApplications.answeredScreens
select "own"."advertiser_name" as "advertiserName", "own"."submitted_at" as "submittedAt", "application"."status", "application"."erased_at", "screen"."json", "screen"."details"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "own"."advertiser_id"
  and "screen"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit ?;

-- ownApplications.findSent
select "application_id"
  from "own_applications"
  where "candidate_id" = ?
  and "form_key" = ?;

-- ownApplications.lastFor
select "own"."submitted_at" as "submittedAt", "application"."status", "entry"."at" as "withdrawnAt"
  from "own_applications" as "own"
  inner join "applications" as "application" on "application"."advertiser_id" = "own"."advertiser_id"
  and "application"."id" = "own"."application_id" left join "application_history" as "entry" on "entry"."advertiser_id" = "own"."advertiser_id"
  and "entry"."application_id" = "own"."application_id"
  and "entry"."kind" = ?
  where "own"."candidate_id" = ?
  and "own"."job_ad_id" = ?
  order by "application"."status" = ?, "own"."submitted_at" desc
  limit ?;

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
  where "own"."candidate_id" = ?
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit ?;
select "file"."application_id", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."blob", "file"."sha256", "file"."size", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan", "file"."uploaded_at" as "uploadedAt"
  from "own_applications" as "own"
  inner join "application_files" as "file" on "file"."advertiser_id" = "own"."advertiser_id"
  and "file"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and "own"."submitted_at" >= ?
  and "own"."submitted_at" <= ?;
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
  where "own"."candidate_id" = ?
  and ("own"."submitted_at", "own"."application_id") < (?, ?)
  order by "own"."submitted_at" desc, "own"."application_id" desc
  limit ?;

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
  where "own"."candidate_id" = ?
  and "own"."application_id" = ?;
select "file"."application_id", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."blob", "file"."sha256", "file"."size", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan", "file"."uploaded_at" as "uploadedAt"
  from "own_applications" as "own"
  inner join "application_files" as "file" on "file"."advertiser_id" = "own"."advertiser_id"
  and "file"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and "own"."submitted_at" >= ?
  and "own"."submitted_at" <= ?;
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "notice"."version" as "notice_version", "notice"."url" as "notice_url", "notice"."created_at" as "notice_at", "seen"."job_ad_id" as "seen_id", "seen"."version" as "seen_version", "seen"."content" as "seen_content", "seen"."created_at" as "seen_at"
  from "applications" as "application" left join "privacy_notices" as "notice" on "notice"."advertiser_id" = "application"."advertiser_id"
  and "notice"."version" = "application"."privacy_version" left join "ad_versions" as "seen" on "seen"."advertiser_id" = "application"."advertiser_id"
  and "seen"."job_ad_id" = "application"."job_ad_id"
  and "seen"."version" = "application"."ad_version"
  where "application"."advertiser_id" = ?
  and "application"."id" = ?;
select "json", "details"
  from "application_screens"
  where "advertiser_id" = ?
  and "application_id" = ?;
select "due_at"
  from "erasures"
  where "advertiser_id" = ?
  and "application_id" = ?;
select "own"."application_id", "entry"."at", "entry"."kind", "entry"."status", "entry"."text", "entry"."position", "entry"."former", case when (select shows_reasons
    from advertisers
    where id = own.advertiser_id) = 1 then entry.reason end as "reason"
  from "own_applications" as "own"
  inner join "application_history" as "entry" on "entry"."advertiser_id" = "own"."advertiser_id"
  and "entry"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and "own"."application_id" = ?
  and "entry"."kind" in (?, ?, ?);
select "own"."advertiser_id" as "advertiserId", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("read"."first_at") as "firstAt", max("read"."last_at") as "lastAt"
  from "own_applications" as "own"
  inner join "application_reads" as "read" on "read"."advertiser_id" = "own"."advertiser_id"
  and "read"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and "own"."application_id" = ?
  and (select "application"."erased_at"
    from "applications" as "application"
    where "application"."advertiser_id" = "own"."advertiser_id"
    and "application"."id" = "own"."application_id") is null group by "own"."advertiser_id", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "advertiser_id" as "advertiserId", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("first_at") as "firstAt", max("last_at") as "lastAt"
  from "list_reads"
  where "advertiser_id" in (select "own"."advertiser_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?
    and "own"."application_id" = ?)
  and "last_id" >= (select min("own"."application_id") as "first"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?
    and "own"."application_id" = ?)
  and "first_id" <= (select max("own"."application_id") as "last"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?
    and "own"."application_id" = ?)
  and exists (select "own"."application_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?
    and "own"."application_id" = ?
    and (select "application"."erased_at"
      from "applications" as "application"
      where "application"."advertiser_id" = "own"."advertiser_id"
      and "application"."id" = "own"."application_id") is null
    and +own.advertiser_id = "list_reads"."advertiser_id"
    and +own.application_id >= "list_reads"."first_id"
    and +own.application_id <= "list_reads"."last_id") group by "advertiser_id", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "own"."advertiser_id" as "advertiserId", min("own"."submitted_at") as "at"
  from "own_applications" as "own"
  where "own"."candidate_id" = ?
  and "own"."application_id" = ? group by "own"."advertiser_id";

-- ownApplications.file
select "type", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "advertiser_id" = (select "advertiser_id"
    from "own_applications"
    where "candidate_id" = ?
    and "application_id" = ?)
  and "application_id" = ?
  and "type" = ?;

-- ownApplications.reads
select "own"."advertiser_id" as "advertiserId", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("read"."first_at") as "firstAt", max("read"."last_at") as "lastAt"
  from "own_applications" as "own"
  inner join "application_reads" as "read" on "read"."advertiser_id" = "own"."advertiser_id"
  and "read"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  and (select "application"."erased_at"
    from "applications" as "application"
    where "application"."advertiser_id" = "own"."advertiser_id"
    and "application"."id" = "own"."application_id") is null group by "own"."advertiser_id", "read"."day", "read"."way", case when "read"."reader" like 'agent:%' then "read"."reader" when "read"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "advertiser_id" as "advertiserId", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end as "reader", min("first_at") as "firstAt", max("last_at") as "lastAt"
  from "list_reads"
  where "advertiser_id" in (select "own"."advertiser_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?)
  and "last_id" >= (select min("own"."application_id") as "first"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?)
  and "first_id" <= (select max("own"."application_id") as "last"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?)
  and exists (select "own"."application_id"
    from "own_applications" as "own"
    where "own"."candidate_id" = ?
    and (select "application"."erased_at"
      from "applications" as "application"
      where "application"."advertiser_id" = "own"."advertiser_id"
      and "application"."id" = "own"."application_id") is null
    and +own.advertiser_id = "list_reads"."advertiser_id"
    and +own.application_id >= "list_reads"."first_id"
    and +own.application_id <= "list_reads"."last_id") group by "advertiser_id", "day", "way", case when "list_reads"."reader" like 'agent:%' then "list_reads"."reader" when "list_reads"."reader" like 'member:%' then 'member:' else 'credential:' end;
select "own"."advertiser_id" as "advertiserId", min("own"."submitted_at") as "at"
  from "own_applications" as "own"
  where "own"."candidate_id" = ? group by "own"."advertiser_id";

-- ownApplications.replaceFile
select "advertiser_id" as "advertiserId", "submitted_at" as "submittedAt"
  from "own_applications"
  where "candidate_id" = ?
  and "application_id" = ?;
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";

-- ownApplications.endKeeping
select "advertiser_id" as "advertiserId", "submitted_at" as "submittedAt"
  from "own_applications"
  where "candidate_id" = ?
  and "application_id" = ?;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "event_number";
delete from "kept_applications"
  where "advertiser_id" = ?
  and "application_id" = ?;
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
insert into "tombstones" ("id", "content")
  values (?, ?);

-- ownApplications.withdraw
select "advertiser_id" as "advertiserId", "submitted_at" as "submittedAt"
  from "own_applications"
  where "candidate_id" = ?
  and "application_id" = ?;
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "event_number";
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
update "applications"
  set "status" = ?
  where "advertiser_id" = ?
  and "id" in (?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?), (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = "application_counts"."applications" + "excluded"."applications";
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "former", "status")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end + ?
  where "advertiser_id" = ?
  returning "event_number";
insert into "erasures" ("advertiser_id", "application_id", "due_at", "reason")
  values (?, ?, ?, ?)
  on conflict ("advertiser_id", "application_id") do update
  set "due_at" = case when erasures.due_at < excluded.due_at then erasures.due_at else excluded.due_at end, "reason" = excluded.reason, "ripe_at" = case when erasures.due_at < excluded.due_at then erasures.ripe_at else 0 end;
delete from "kept_applications"
  where "advertiser_id" = ?
  and "application_id" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);
insert into "untold_withdrawals" ("advertiser_id", "candidate_id", "application_id") select "advertiser_id", "candidate_id", 2 as "application_id"
  from "memberships"
  where "advertiser_id" = ?
  and "notify" != ?
  and "told_up_to" >= ?;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);

-- ownApplications.holders
select "advertiser"."id", "advertiser"."name" as "advertiserName", "advertiser"."logo_hash" as "logoHash", "advertiser"."time_zone" as "timeZone", count(*) as "applications", min("own"."submitted_at") as "firstAt", max("own"."submitted_at") as "lastAt"
  from "own_applications" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = ? group by "advertiser"."id", "advertiser"."name", "advertiser"."logo_hash", "advertiser"."time_zone"
  order by "lastAt" desc, "advertiser"."id"
  limit ?;
select "agent_authorisations"."advertiser_id", "agents"."name"
  from "agent_authorisations"
  inner join "agents" on "agents"."id" = "agent_authorisations"."agent_id"
  where "advertiser_id" in (select "advertiser_id"
    from "own_applications"
    where "candidate_id" = ?)
  order by "agents"."name", "agents"."id";
select "own"."advertiser_id", "own"."application_id" as "applicationId", "own"."job_title" as "jobTitle", "kept"."until"
  from "own_applications" as "own"
  inner join "kept_applications" as "kept" on "kept"."advertiser_id" = "own"."advertiser_id"
  and "kept"."application_id" = "own"."application_id"
  where "own"."candidate_id" = ?
  order by "own"."submitted_at" desc;

-- answers.find
select "application"."id" as "applicationId", "screen"."json", "screen"."details"
  from "applications" as "application" left join "application_screens" as "screen" on "screen"."advertiser_id" = "application"."advertiser_id"
  and "screen"."application_id" = "application"."id"
  where "application"."advertiser_id" = ?
  and "application"."id" in (?);
select "file"."application_id" as "applicationId", "file"."type", "file"."file_name" as "fileName", "file"."content_type" as "contentType", "file"."size", "file"."sha256", case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end as "scan"
  from "application_files" as "file"
  where "file"."advertiser_id" = ?
  and "file"."application_id" in (?)
  and "file"."type" not in (?, ?, ?);

-- answers.sizes
select "application_id" as "id", "size"
  from "application_screens"
  where "advertiser_id" = ?
  and "application_id" in (?);

-- applicationSearch.page
select "id"
  from "applications"
  where "advertiser_id" = ?
  and "id" > ?
  and "id" < ?
  order by "id" desc
  limit ?;
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "ad"."title" as "ad_title", (select "entry"."label"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = "application"."advertiser_id"
    and "entry"."application_id" = "application"."id"
    and "entry"."kind" = 'status'
    order by "entry"."position" desc
    limit ?) as "stage", (select string_agg(file.type || ':' || case "file"."not_judged" when 1 then 'not-judged' else "file"."scan" end, ',') as "files"
    from "application_files" as "file"
    where "file"."advertiser_id" = "application"."advertiser_id"
    and "file"."application_id" = "application"."id") as "files"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = ?
  and "application"."id" in (?);
select "id"
  from "applications"
  where "advertiser_id" = ?
  and "id" > ?
  and "id" < ?
  order by "id" asc
  limit ?;
select "id"
  from "applications"
  where "advertiser_id" = ?
  and "job_ad_id" is not null
  and (job_ad_id, "screen_successful", id) > (?, ?, ?)
  and (job_ad_id, "screen_successful", id) < (?, ?, ?)
  order by "job_ad_id" desc, "screen_successful" desc, "id" desc
  limit ?;
select "id"
  from "applications"
  where "advertiser_id" = ?
  and "job_ad_id" = ?
  and "screen_successful" is null
  and "id" > ?
  and "id" < ?
  order by "screen_successful" desc, "id" desc
  limit ?;
select "id"
  from "applications"
  where "advertiser_id" = ?
  and "screen_successful" is not null
  and ("screen_successful", id) > (?, ?)
  and ("screen_successful", id) < (?, ?)
  order by "screen_successful" desc, "id" desc
  limit ?;
select "id"
  from "applications"
  where "advertiser_id" = ?
  and "status" is not null
  and ("status", id) > (?, ?)
  and ("status", id) < (?, ?)
  order by "status" desc, "id" desc
  limit ?;
select "id"
  from "applications"
  where "advertiser_id" = ?
  and "job_ad_id" is not null
  and (job_ad_id, "status", id) > (?, ?, ?)
  and (job_ad_id, "status", id) < (?, ?, ?)
  order by "job_ad_id" desc, "status" desc, "id" desc
  limit ?;
select "id"
  from "applications"
  where "advertiser_id" = ?
  and "erased_at" is null
  and (select "entry"."position"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = ?
    and "entry"."application_id" = "applications"."id"
    and "entry"."kind" = 'status'
    and "entry"."status" not in ('new', 'seen')
    limit ?) is null
  and "status" is not null
  and ("status", id) > (?, ?)
  and ("status", id) < (?, ?)
  order by "status" desc, "id" desc
  limit ?;
select "id"
  from "applications"
  where "advertiser_id" = ?
  and +erased_at is null
  and (select "entry"."position"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = ?
    and "entry"."application_id" = "applications"."id"
    and "entry"."kind" = 'status'
    and "entry"."status" not in ('new', 'seen')
    limit ?) is null
  and "job_ad_id" is not null
  and (job_ad_id, "status", id) > (?, ?, ?)
  and (job_ad_id, "status", id) < (?, ?, ?)
  order by "job_ad_id" desc, "status" desc, "id" desc
  limit ?;
select "id", "email", "first_name", "last_name", "job_reference"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?, ?, ?, ?, ?, ?, ?, ?);
select count(*) as "count"
  from (select "application_id"
    from "application_terms"
    where "advertiser_id" = ?
    and "term" >= ?
    and "term" < ?
    limit ?) as "found";
select "application_id"
  from "application_terms"
  where "advertiser_id" = ?
  and "term" >= ?
  and "term" < ?
  and "application_id" > ?
  and "application_id" < ?
  order by "application_id" desc
  limit ?;
select "id", "email", "first_name", "last_name", "job_reference"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?, ?, ?, ?);

-- applicationSearch.newestIds
select "id"
  from "applications"
  where "advertiser_id" = ?
  and "id" > ?
  and "id" < ?
  order by "id" desc
  limit ?;
select count(*) as "count"
  from (select "application_id"
    from "application_terms"
    where "advertiser_id" = ?
    and "term" >= ?
    and "term" < ?
    limit ?) as "found";
select "application_id"
  from "application_terms"
  where "advertiser_id" = ?
  and "term" >= ?
  and "term" < ?
  and "application_id" > ?
  and "application_id" < ?
  order by "application_id" desc
  limit ?;

-- applicationSearch.countUnanswered
select count(*) as "count"
  from (select "id"
    from "applications"
    where "advertiser_id" = ?
    and "erased_at" is null
    and (select "entry"."position"
      from "application_history" as "entry"
      where "entry"."advertiser_id" = ?
      and "entry"."application_id" = "applications"."id"
      and "entry"."kind" = 'status'
      and "entry"."status" not in ('new', 'seen')
      limit ?) is null
    and "status" is not null
    and ("status", id) > (?, ?)
    and ("status", id) < (?, ?)
    order by "status" desc, "id" desc
    limit ?) as "unanswered";

-- applicationSearch.related
select "other"."application_id" as "id"
  from "own_applications" as "this"
  inner join "own_applications" as "other" on "other"."candidate_id" = "this"."candidate_id"
  where "this"."advertiser_id" = ?
  and "this"."application_id" = ?
  and +other.advertiser_id = ?
  order by "other"."submitted_at" desc, "other"."application_id" desc
  limit ?;
select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = ?
    and "term" = ?
    order by "application_id" desc
    limit ?) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = ?
    and "term" = ?
    order by "application_id" desc
    limit ?) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = ?
    and "term" = ?
    order by "application_id" desc
    limit ?) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = ?
    and "term" = ?
    order by "application_id" desc
    limit ?) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = ?
    and "term" = ?
    order by "application_id" desc
    limit ?) as "newest"
  union all select "id"
  from (select "application_id" as "id"
    from "application_terms"
    where "advertiser_id" = ?
    and "term" = ?
    order by "application_id" desc
    limit ?) as "newest";
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "ad"."title" as "ad_title", (select "entry"."label"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = "application"."advertiser_id"
    and "entry"."application_id" = "application"."id"
    and "entry"."kind" = 'status'
    order by "entry"."position" desc
    limit ?) as "stage"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id"
  where "application"."advertiser_id" = ?
  and "application"."id" in (?, ?, ?, ?, ?, ?, ?, ?)
  and "application"."erased_at" is null;

-- applicationSearch.find
select "application"."advertiser_id", "application"."id", "application"."submitted_at", "application"."job_seeker_id", "application"."email", "application"."first_name", "application"."last_name", "application"."phone", "application"."job_reference", "application"."job_title", "application"."company_name", "application"."time_in_role_months", "application"."is_new_to_work_force", "application"."job_ad_id", "application"."screen_successful", "application"."has_virus", "application"."erased_at", "application"."status", "ad"."title" as "ad_title", (select "entry"."label"
    from "application_history" as "entry"
    where "entry"."advertiser_id" = "application"."advertiser_id"
    and "entry"."application_id" = "application"."id"
    and "entry"."kind" = 'status'
    order by "entry"."position" desc
    limit ?) as "stage", "kept"."until" as "keptUntil", "erasure"."due_at", "erasure"."reason", "screen"."json", "screen"."details", "notice"."version" as "notice_version", "notice"."url" as "notice_url", "notice"."created_at" as "notice_at", "seen"."job_ad_id" as "seen_id", "seen"."version" as "seen_version", "seen"."content" as "seen_content", "seen"."created_at" as "seen_at"
  from "applications" as "application" left join "job_ads" as "ad" on "ad"."advertiser_id" = "application"."advertiser_id"
  and "ad"."id" = "application"."job_ad_id" left join "erasures" as "erasure" on "erasure"."advertiser_id" = "application"."advertiser_id"
  and "erasure"."application_id" = "application"."id" left join "application_screens" as "screen" on "screen"."advertiser_id" = "application"."advertiser_id"
  and "screen"."application_id" = "application"."id" left join "privacy_notices" as "notice" on "notice"."advertiser_id" = "application"."advertiser_id"
  and "notice"."version" = "application"."privacy_version" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "application"."advertiser_id"
  and "kept"."application_id" = "application"."id" left join "ad_versions" as "seen" on "seen"."advertiser_id" = "application"."advertiser_id"
  and "seen"."job_ad_id" = "application"."job_ad_id"
  and "seen"."version" = "application"."ad_version"
  where "application"."advertiser_id" = ?
  and "application"."id" = ?;
select "type", "file_name" as "fileName", "content_type" as "contentType", "blob", "sha256", "size", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "advertiser_id" = ?
  and "application_id" = ?;

-- applicationSearch.adChoices
select "id", "title", "reference"
  from "job_ads"
  where "advertiser_id" = ?
  order by "id" desc
  limit ?;

-- listEntries.firstNames (the operator's own look-up or list)
select "id", "name"
  from "list_entries"
  where "list" = ?;

-- listEntries.add (the operator's own look-up or list)
insert into "list_entries" ("list", "id", "name")
  values (?, ?, ?)
  on conflict ("list", "id") do nothing;
select "id", "name"
  from "list_entries"
  where "list" = ?;

-- candidates.find
select "candidate"."email", "candidate"."first_name", "candidate"."last_name", "candidate"."profile", "resume"."id", "resume"."file_name", "resume"."content_type", "resume"."blob", "resume"."sha256", "resume"."size", "resume"."scan", "resume"."not_judged", "resume"."uploaded_at", "resume"."is_default"
  from "candidates" as "candidate" left join "resumes" as "resume" on "resume"."candidate_id" = "candidate"."id"
  and "resume"."is_default" = 1
  where "candidate"."id" = ?;

-- candidates.changeProfile
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "first_name", "last_name", "profile"
  from "candidates"
  where "id" = ?;
update "candidates"
  set "first_name" = ?, "last_name" = ?, "profile" = ?
  where "id" = ?;

-- candidates.listResumes
select "id", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "is_default"
  from "resumes"
  where "candidate_id" = ?
  order by "uploaded_at" desc, "id" desc;

-- candidates.findResume
select "id", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "is_default"
  from "resumes"
  where "candidate_id" = ?
  and "id" = ?;

-- candidates.addResume
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select count(*) as "count", coalesce(sum("is_default"), ?) as "defaults"
  from "resumes"
  where "candidate_id" = ?;
insert into "resumes" ("id", "candidate_id", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "is_default")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- candidates.chooseDefault
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "id"
  from "resumes"
  where "candidate_id" = ?
  and "id" = ?;
update "resumes"
  set "is_default" = ?
  where "candidate_id" = ?
  and "is_default" = 1;
update "resumes"
  set "is_default" = ?
  where "candidate_id" = ?
  and "id" = ?;

-- candidates.removeResume
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
delete from "resumes"
  where "candidate_id" = ?
  and "id" = ?
  returning "is_default", "blob";
insert into "tombstones" ("id", "content")
  values (?, ?);
select "id"
  from "resumes"
  where "candidate_id" = ?
  order by "uploaded_at" desc, "id" desc
  limit ?;
update "resumes"
  set "is_default" = ?
  where "candidate_id" = ?
  and "is_default" = 1;
update "resumes"
  set "is_default" = ?
  where "candidate_id" = ?
  and "id" = ?;

-- sessions.add
update "candidates"
  set "password_hash" = ?
  where "id" = ?
  and "password_hash" = ?
  and (not exists (select "candidate_id"
      from "totp_factors"
      where "candidate_id" = ?)
    and not exists (select "candidate_id"
      from "passkeys"
      where "candidate_id" = ?));
select "role"
  from "operators"
  where "candidate_id" = ?;
insert into "sessions" ("hash", "id", "candidate_id", "browser", "created_at", "last_used_at", "expires_at", "network", "proved_at", "proved_by", "factors", "code_at", "password_at", "passkey_id")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "sign_in_failures" ("key", "failures", "last_failed_at")
  values (?, ?, ?)
  on conflict ("key") do nothing;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;

-- sessions.find (the secret is what says who asks)
select "session"."id" as "sessionId", "candidate"."id" as "candidateId", "candidate"."email" as "email", "candidate"."first_name" as "firstName", "candidate"."mail_refused_at" as "mailRefusedAt", "session"."last_used_at" as "lastUsedAt", "session"."expires_at" as "expiresAt", "session"."created_at" as "createdAt", "session"."proved_at" as "provedAt", "session"."proved_by" as "provedBy", "session"."factors" as "factors", "session"."password_at" as "passwordAt", "session"."factor_at" as "factorAt", "session"."factor_by" as "factorBy", "session"."code_at" as "codeAt", "session"."provider_issuer" as "providerIssuer", coalesce((select "role"
      from "memberships"
      where "memberships"."candidate_id" = "candidate"."id"
      limit ?), (select "role"
      from "agent_members"
      where "agent_members"."candidate_id" = "candidate"."id"
      limit ?)) as "anyRole", (select "role"
    from "operators"
    where "operators"."candidate_id" = "candidate"."id") as "operatorRole"
  from "sessions" as "session"
  inner join "candidates" as "candidate" on "candidate"."id" = "session"."candidate_id"
  where "session"."hash" = ?;

-- sessions.prove
update "sessions"
  set "proved_at" = ?, "proved_by" = ?, "password_at" = ?
  where "candidate_id" = ?
  and "id" = ?;

-- factors.find
select "secret", "created_at" as "createdAt", "last_used_at" as "lastUsedAt"
  from "totp_factors"
  where "candidate_id" = ?;
select "id", "name", "rp_id" as "rpId", "transports", "created_at" as "createdAt", "last_used_at" as "lastUsedAt"
  from "passkeys"
  where "candidate_id" = ?
  order by "created_at", "id";
select count(*) as "left"
  from "recovery_codes"
  where "candidate_id" = ?;

-- factors.addTotp
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "id"
  from "sessions"
  where "candidate_id" = ?
  and "id" = ?;
select "candidate_id"
  from "totp_factors"
  where "candidate_id" = ?
  limit ?;
select "candidate_id"
  from "passkeys"
  where "candidate_id" = ?
  limit ?;
insert into "totp_factors" ("candidate_id", "secret", "last_step", "created_at", "last_used_at")
  values (?, ?, ?, ?, ?)
  on conflict ("candidate_id") do nothing;
select "hash"
  from "recovery_codes"
  where "candidate_id" = ?;
delete from "recovery_codes"
  where "candidate_id" = ?;
insert into "recovery_codes" ("candidate_id", "hash", "created_at")
  values (?, ?, ?);
update "sessions"
  set "factors" = ?, "proved_at" = ?, "proved_by" = ?, "factor_at" = ?, "factor_by" = ?, "passkey_id" = ?
  where "candidate_id" = ?
  and "id" = ?;
delete from "sessions"
  where "candidate_id" = ?
  and "id" != ?;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = ?);
delete from "account_links"
  where "candidate_id" = ?
  and "purpose" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);

-- factors.findPasskey (a passkey names the account)
select "id", "name", "rp_id" as "rpId", "transports", "created_at" as "createdAt", "last_used_at" as "lastUsedAt", "candidate_id" as "candidateId", "public_key" as "publicKey", "counter"
  from "passkeys"
  where "id" = ?;

-- factors.addPasskey
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "id"
  from "sessions"
  where "candidate_id" = ?
  and "id" = ?;
insert into "sent_forms" ("key", "location", "expires_at")
  values (?, ?, ?)
  on conflict ("key") do nothing;
select "candidate_id"
  from "totp_factors"
  where "candidate_id" = ?
  limit ?;
select count(*) as "count"
  from "passkeys"
  where "candidate_id" = ?;
insert into "passkeys" ("id", "name", "counter", "candidate_id", "rp_id", "public_key", "transports", "created_at", "last_used_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "tombstones" ("id", "content")
  values (?, ?);

-- factors.renamePasskey
update "passkeys"
  set "name" = ?
  where "id" = ?
  and "candidate_id" = ?;

-- factors.removePasskey
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "id", "created_at"
  from "passkeys"
  where "candidate_id" = ?
  and "id" = ?;
delete from "passkeys"
  where "id" = ?
  and "candidate_id" = ?;

-- factors.reset
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "created_at"
  from "totp_factors"
  where "candidate_id" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);
select "id", "created_at"
  from "passkeys"
  where "candidate_id" = ?;
delete from "totp_factors"
  where "candidate_id" = ?;
delete from "passkeys"
  where "candidate_id" = ?;
delete from "identities"
  where "candidate_id" = ?
  and "linked_at" > ?
  returning "issuer", "linked_at";
select "hash"
  from "recovery_codes"
  where "candidate_id" = ?;
delete from "recovery_codes"
  where "candidate_id" = ?;
delete from "sessions"
  where "candidate_id" = ?;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = ?);
select "company"."id" as "advertiserId"
  from "memberships" as "member"
  inner join "advertisers" as "company" on "company"."id" = "member"."advertiser_id"
  where "member"."candidate_id" = ?
  and "company"."requires_factor" = ?;

-- factors.listAtReset
select "candidate"."created_at" as "createdAt", "mailbox"."set_at" as "setAt"
  from "candidates" as "candidate" left join "mailbox_passwords" as "mailbox" on "mailbox"."candidate_id" = "candidate"."id"
  where "candidate"."id" = ?;
select "role"
  from "operators"
  where "candidate_id" = ?;
select "created_at" as "createdAt"
  from "totp_factors"
  where "candidate_id" = ?;
select "name", "created_at" as "createdAt"
  from "passkeys"
  where "candidate_id" = ?;
select "issuer", "linked_at" as "createdAt"
  from "identities"
  where "candidate_id" = ?;

-- factors.replaceCodes
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "candidate_id"
  from "totp_factors"
  where "candidate_id" = ?
  limit ?;
select "candidate_id"
  from "passkeys"
  where "candidate_id" = ?
  limit ?;

-- factors.removeTotp
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "created_at"
  from "totp_factors"
  where "candidate_id" = ?;
delete from "totp_factors"
  where "candidate_id" = ?;

-- factors.removeLostTotp
select "secret", "created_at" as "createdAt", "last_used_at" as "lastUsedAt"
  from "totp_factors"
  where "candidate_id" = ?;
select "id", "name", "rp_id" as "rpId", "transports", "created_at" as "createdAt", "last_used_at" as "lastUsedAt"
  from "passkeys"
  where "candidate_id" = ?
  order by "created_at", "id";
select count(*) as "left"
  from "recovery_codes"
  where "candidate_id" = ?;
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "created_at"
  from "totp_factors"
  where "candidate_id" = ?;
delete from "totp_factors"
  where "candidate_id" = ?
  and "secret" = ?;

-- sessions.recordUse (the secret is what says who asks)
update "sessions"
  set "last_used_at" = ?
  where "hash" = ?
  and "last_used_at" <= ?;

-- sessions.list
select "id" as "sessionId", "browser", "network", "created_at" as "createdAt", "last_used_at" as "lastUsedAt", "proved_at" as "provedAt", "proved_by" as "provedBy", "factors", "password_at" as "passwordAt", "factor_at" as "factorAt", "factor_by" as "factorBy", "code_at" as "codeAt", "provider_issuer" as "providerIssuer"
  from "sessions"
  where "candidate_id" = ?
  and "expires_at" > ?
  order by "last_used_at" desc, "created_at" desc, "id";

-- sessions.endOthers
delete from "sessions"
  where "candidate_id" = ?
  and "id" != ?
  returning "id", "candidate_id";
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = ?);

-- sessions.end
delete from "sessions"
  where "candidate_id" = ?
  and "id" = ?
  returning "id", "candidate_id";

-- sessions.endByHash (the secret is what says who asks)
delete from "sessions"
  where "hash" = ?
  returning "id", "candidate_id";

-- accounts.find
select "id" as "candidateId", "email", "email_confirmed_at" as "emailConfirmedAt", "password_hash" as "passwordHash", "first_name" as "firstName", "last_name" as "lastName"
  from "candidates"
  where "id" = ?;

-- accounts.namesOf (names of the people in the entries that the caller was shown)
select "id", "email", "first_name", "last_name"
  from "candidates"
  where "id" in (?);

-- accounts.hasWorkplace
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;

-- codes.add (an address names the account before the sign-in)
insert into "email_codes" ("challenge", "purpose", "email", "made_at", "expires_at", "tries")
  values (?, ?, ?, ?, ?, ?);

-- codes.find (the secret is what says who asks)
select "email", "tries", "made_at" as "madeAt", "expires_at" as "expiresAt", "used_at" as "usedAt"
  from "email_codes"
  where "challenge" = ?
  and "purpose" = ?;

-- codes.setCode (the secret is what says who asks)
update "email_codes"
  set "mac" = ?
  where "challenge" = ?
  and "used_at" is null
  and "expires_at" > ?;

-- codes.countTry (the secret is what says who asks)
update "email_codes"
  set "tries" = "tries" + ?
  where "challenge" = ?
  and "used_at" is null
  and "expires_at" > ?
  and "purpose" = ?
  and "tries" < ?
  returning "email", "mac", "tries";

-- codes.use (the secret is what says who asks)
update "email_codes"
  set "used_at" = ?
  where "challenge" = ?
  and "used_at" is null
  and "expires_at" > ?;

-- accounts.findByEmail (an address names the account before the sign-in)
select "value"
  from "meta"
  where "key" = ?;
select "id" as "candidateId", "email", "email_confirmed_at" as "emailConfirmedAt", "password_hash" as "passwordHash", "first_name" as "firstName", "last_name" as "lastName"
  from "candidates"
  where "email" = ?;

-- accounts.add (an address names the account before the sign-in)
select "value"
  from "meta"
  where "key" = ?;
insert into "candidates" ("id", "email", "password_hash", "first_name", "last_name", "profile", "created_at")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("email") do nothing;

-- accounts.addLink
insert into "account_links" ("hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- accounts.addDecoy (counts by the hash of an address or of an account, which nobody owns)
insert into "sent_forms" ("key", "location", "expires_at")
  values (?, ?, ?);

-- accounts.findLink (the secret is what says who asks)
select "hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark"
  from "account_links"
  where "hash" = ?
  and "purpose" = ?
  and "expires_at" > ?;

-- accounts.findRegistration
select "password_hash", "first_name", "last_name", "expires_at"
  from "account_links"
  where "candidate_id" = ?
  and "purpose" = ?
  and "browser_mark" = ?;

-- accounts.confirm (the secret is what says who asks)
update "candidates"
  set "email" = "email"
  where "id" = (select "candidate_id"
    from "account_links"
    where "hash" = ?);
delete from "account_links"
  where "hash" = ?
  and "purpose" = ?
  and "expires_at" > ?
  returning "hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark";
update "candidates"
  set "email_confirmed_at" = ?, "password_hash" = ?, "first_name" = ?, "last_name" = ?, "mail_refused_at" = ?, "mail_refusal" = ?
  where "id" = ?
  and "email" = ?
  and "email_confirmed_at" is null;
delete from "account_links"
  where "candidate_id" = ?;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = ?);

-- accounts.changeEmail (the secret is what says who asks)
update "candidates"
  set "email" = "email"
  where "id" = (select "candidate_id"
    from "account_links"
    where "hash" = ?);
delete from "account_links"
  where "hash" = ?
  and "purpose" = ?
  and "expires_at" > ?
  returning "hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark";
delete from "account_links"
  where "candidate_id" in (select "id"
    from "candidates"
    where "email" = ?
    and "email_confirmed_at" is null);
delete from "candidates"
  where "id" in (select "id"
    from "candidates"
    where "email" = ?
    and "email_confirmed_at" is null);
select "email"
  from "candidates"
  where "id" = ?;
update "candidates"
  set "email" = ?, "email_confirmed_at" = ?, "mail_refused_at" = ?, "mail_refusal" = ?
  where "id" = ?
  and not exists (select "other"."id"
    from "candidates" as "other"
    where "other"."email" = ?);
delete from "account_links"
  where "candidate_id" = ?;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = ?);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "changed_at"
  from "undo_links"
  where "candidate_id" = ?
  and "kind" = ?
  and "email" = ?
  and "expires_at" > ?
  order by "changed_at"
  limit ?;
insert into "undo_links" ("candidate_id", "kind", "email", "changed_at", "hash", "change_id", "expires_at")
  values (?, ?, ?, ?, ?, ?, ?);
insert into "tombstones" ("id", "content")
  values (?, ?);
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;

-- accounts.resetPassword (the secret is what says who asks)
update "candidates"
  set "email" = "email"
  where "id" = (select "candidate_id"
    from "account_links"
    where "hash" = ?);
delete from "account_links"
  where "hash" = ?
  and "purpose" = ?
  and "expires_at" > ?
  returning "hash", "purpose", "candidate_id", "email", "expires_at", "password_hash", "first_name", "last_name", "continue_to", "browser_mark";
select "password_hash"
  from "candidates"
  where "id" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);
update "candidates"
  set "password_hash" = ?, "mail_refused_at" = ?, "mail_refusal" = ?, "email_confirmed_at" = coalesce("email_confirmed_at", ?)
  where "id" = ?
  and "email" = ?;
delete from "account_links"
  where "candidate_id" = ?;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = ?);
delete from "sessions"
  where "candidate_id" = ?;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "email"
  from "candidates"
  where "id" = ?;
insert into "undo_links" ("candidate_id", "kind", "email", "changed_at", "hash", "change_id", "expires_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "role"
  from "operators"
  where "candidate_id" = ?;
select "candidate"."created_at" as "createdAt", "mailbox"."set_at" as "setAt"
  from "candidates" as "candidate" left join "mailbox_passwords" as "mailbox" on "mailbox"."candidate_id" = "candidate"."id"
  where "candidate"."id" = ?;
delete from "totp_factors"
  where "candidate_id" = ?
  and "created_at" > ?
  returning "created_at";
delete from "passkeys"
  where "candidate_id" = ?
  and "created_at" > ?
  returning "id", "created_at";
delete from "identities"
  where "candidate_id" = ?
  and "linked_at" > ?
  returning "issuer", "linked_at";
insert into "mailbox_passwords" ("candidate_id", "set_at")
  values (?, ?)
  on conflict ("candidate_id") do update
  set "set_at" = ?;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;
select "company"."id" as "advertiserId"
  from "memberships" as "member"
  inner join "advertisers" as "company" on "company"."id" = "member"."advertiser_id"
  where "member"."candidate_id" = ?
  and "company"."requires_factor" = ?;

-- accounts.changePassword
update "candidates"
  set "password_hash" = ?
  where "id" = ?
  and "password_hash" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);
delete from "sessions"
  where "candidate_id" = ?
  and "id" != ?;
delete from "account_links"
  where "candidate_id" = ?;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = ?);
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "email"
  from "candidates"
  where "id" = ?;
insert into "undo_links" ("candidate_id", "kind", "email", "changed_at", "hash", "change_id", "expires_at")
  values (?, ?, ?, ?, ?, ?, ?);
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;

-- identities.addAccount (makes an account)
insert into "candidates" ("email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "id", "email", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict ("email") do update
  set "email_confirmed_at" = ?, "password_hash" = ?, "first_name" = ?, "last_name" = ?, "profile" = ?
  where "candidates"."email_confirmed_at" is null
  returning "id";
delete from "account_links"
  where "candidate_id" = ?;
insert into "identities" ("issuer", "subject", "candidate_id", "linked_at", "last_used_at")
  values (?, ?, ?, ?, ?)
  on conflict do nothing;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;

-- identities.link
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
insert into "identities" ("issuer", "subject", "candidate_id", "linked_at", "last_used_at")
  values (?, ?, ?, ?, ?)
  on conflict do nothing;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;

-- identities.find (the provider vouches for the person)
select "candidate_id"
  from "identities"
  where "issuer" = ?
  and "subject" = ?;

-- identities.list
select "issuer", "subject", "linked_at" as "linkedAt", "last_used_at" as "lastUsedAt"
  from "identities"
  where "candidate_id" = ?
  order by "issuer";

-- identities.isOperator
select "candidate_id"
  from "operators"
  where "candidate_id" = ?;

-- identities.isCandidateOf
select "subject"
  from "identities"
  where "candidate_id" = ?
  and "issuer" = ?;
select "candidate_id"
  from "operators"
  where "candidate_id" = ?;
select "candidate_id"
  from "memberships"
  where "candidate_id" = ?;

-- identities.unlink
update "candidates"
  set "first_name" = "first_name"
  where "id" = ?;
select "password_hash" as "passwordHash"
  from "candidates"
  where "id" = ?;
select "id"
  from "passkeys"
  where "candidate_id" = ?
  limit ?;
delete from "identities"
  where "candidate_id" = ?
  and "issuer" = ?
  returning "linked_at", "subject";
insert into "tombstones" ("id", "content")
  values (?, ?);
delete from "sessions"
  where "candidate_id" = ?
  and "provider_issuer" = ?
  and "provider_subject" = ?
  and "id" != ?;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;

-- identities.endSessions (the provider names the sessions)
delete from "sessions"
  where "provider_issuer" = ?
  and "provider_subject" = ?
  returning "id", "candidate_id";

-- identities.keep (the secret is what says who asks)
insert into "sent_forms" ("key", "location", "expires_at")
  values (?, ?, ?)
  on conflict ("key") do nothing;

-- identities.read (the secret is what says who asks)
select "location"
  from "sent_forms"
  where "key" = ?
  and "expires_at" > ?;

-- identities.take (the secret is what says who asks)
delete from "sent_forms"
  where "key" = ?
  and "expires_at" > ?
  returning "location";

-- undo.findChange (the ID of the email that is being sent says whose change it is)
select "change_id" as "changeId", "candidate_id" as "candidateId", "kind", "email", "changed_at" as "changedAt"
  from "undo_links"
  where "hash" = ?
  and "expires_at" > ?;

-- undo.firstChange
select "change_id" as "changeId", "candidate_id" as "candidateId", "kind", "email", "changed_at" as "changedAt"
  from "undo_links"
  where "candidate_id" = ?
  and "changed_at" >= ?
  and "email" = ?
  and "hash" = "change_id"
  and "expires_at" > ?
  order by "changed_at"
  limit ?;

-- undo.addLink (the ID of the email that is being sent says whose change it is)
insert into "undo_links" ("hash", "change_id", "candidate_id", "kind", "email", "changed_at", "expires_at") select ? as "hash", "change_id", "candidate_id", "kind", "email", "changed_at", "expires_at"
  from "undo_links"
  where "hash" = ?;

-- undo.find (the secret is what says who asks)
select "change"."candidate_id" as "candidateId", "change"."kind", "change"."email", "change"."changed_at" as "changedAt", "candidate"."email" as "current", "other"."email_confirmed_at" as "takenAt"
  from "undo_links" as "link"
  inner join "undo_links" as "change" on "change"."hash" = "link"."change_id"
  inner join "candidates" as "candidate" on "candidate"."id" = "change"."candidate_id" left join "candidates" as "other" on "other"."email" = "change"."email"
  and "other"."id" != "candidate"."id"
  where "link"."hash" = ?
  and "link"."hash" != "link"."change_id"
  and "change"."expires_at" > ?;
select "created_at" as "createdAt"
  from "totp_factors"
  where "candidate_id" = ?;
select "name", "created_at" as "createdAt"
  from "passkeys"
  where "candidate_id" = ?;
select "issuer", "linked_at" as "createdAt"
  from "identities"
  where "candidate_id" = ?;
select "role"
  from "operators"
  where "candidate_id" = ?;

-- undo.undo (the secret is what says who asks)
update "candidates"
  set "email" = "email"
  where "id" = (select "candidate_id"
    from "undo_links"
    where "hash" = ?);
select "change"."candidate_id" as "candidateId", "change"."kind", "change"."email", "change"."changed_at" as "changedAt", "candidate"."email" as "current", "other"."email_confirmed_at" as "takenAt"
  from "undo_links" as "link"
  inner join "undo_links" as "change" on "change"."hash" = "link"."change_id"
  inner join "candidates" as "candidate" on "candidate"."id" = "change"."candidate_id" left join "candidates" as "other" on "other"."email" = "change"."email"
  and "other"."id" != "candidate"."id"
  where "link"."hash" = ?
  and "link"."hash" != "link"."change_id"
  and "change"."expires_at" > ?;
select "created_at" as "createdAt"
  from "totp_factors"
  where "candidate_id" = ?;
select "name", "created_at" as "createdAt"
  from "passkeys"
  where "candidate_id" = ?;
select "issuer", "linked_at" as "createdAt"
  from "identities"
  where "candidate_id" = ?;
select "role"
  from "operators"
  where "candidate_id" = ?;
delete from "account_links"
  where "candidate_id" in (select "id"
    from "candidates"
    where "email" = ?
    and "email_confirmed_at" is null);
delete from "candidates"
  where "id" in (select "id"
    from "candidates"
    where "email" = ?
    and "email_confirmed_at" is null);
select "email"
  from "candidates"
  where "id" = ?;
select "password_hash"
  from "candidates"
  where "id" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);
update "candidates"
  set "email" = ?, "password_hash" = ?, "mail_refused_at" = ?, "mail_refusal" = ?, "email_confirmed_at" = ?
  where "id" = ?;
delete from "account_links"
  where "candidate_id" = ?;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = ?);
delete from "undo_links"
  where "candidate_id" = ?
  and "changed_at" >= ?;
delete from "sessions"
  where "candidate_id" = ?;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?);
select "company"."id" as "advertiserId"
  from "memberships" as "member"
  inner join "advertisers" as "company" on "company"."id" = "member"."advertiser_id"
  where "member"."candidate_id" = ?
  and "company"."requires_factor" = ?;

-- failures.replace (counts by the hash of an address or of an account, which nobody owns)
insert into "sign_in_failures" ("key", "failures", "last_failed_at")
  values (?, ?, ?)
  on conflict ("key") do nothing;
update "sign_in_failures"
  set "failures" = ?, "last_failed_at" = ?
  where "key" = ?
  and "failures" = ?
  and "last_failed_at" = ?;

-- failures.find (counts by the hash of an address or of an account, which nobody owns)
select "failures", "last_failed_at" as "lastFailedAt"
  from "sign_in_failures"
  where "key" = ?;

-- failures.set (counts by the hash of an address or of an account, which nobody owns)
insert into "sign_in_failures" ("key", "failures", "last_failed_at")
  values (?, ?, ?)
  on conflict ("key") do update
  set "failures" = ?, "last_failed_at" = ?;

-- failures.countAndNotify (counts by the hash of an address or of an account, which nobody owns)
insert into "sign_in_failures" ("key", "failures", "last_failed_at")
  values (?, ?, ?)
  on conflict ("key") do update
  set "last_failed_at" = ?, "failures" = case when "sign_in_failures"."last_failed_at" < ? then ? else "sign_in_failures"."failures" + ? end
  returning "failures";
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?);

-- failures.takeBack (counts by the hash of an address or of an account, which nobody owns)
update "sign_in_failures"
  set "failures" = "failures" - ?
  where "key" = ?
  and "failures" > ?;

-- failures.remove (counts by the hash of an address or of an account, which nobody owns)
delete from "sign_in_failures"
  where "key" = ?;

-- intakeDirectory.find
select "advertiser"."status", "advertiser"."time_zone" as "timeZone"
  from "oauth_client_advertisers" as "listed"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "listed"."advertiser_id"
  where "listed"."client_id" = ?
  and "listed"."advertiser_id" = ?;

-- intake.claim
insert into "intake_keys" ("client_id", "key", "claim", "expires_at", "held_until")
  values (?, ?, ?, ?, cast(unixepoch('subsec') * 1000 as integer) + ?)
  on conflict ("client_id", "key") do update
  set "claim" = ?, "expires_at" = ?, "held_until" = cast(unixepoch('subsec') * 1000 as integer) + ?, "content_hash" = ?, "answer" = ?
  where ("intake_keys"."expires_at" <= ? or ("intake_keys"."answer" is null
      and "intake_keys"."held_until" <= cast(unixepoch('subsec') * 1000 as integer)));
select "content_hash", "answer", "expires_at", held_until - cast(unixepoch('subsec') * 1000 as integer) as "held_ms"
  from "intake_keys"
  where "client_id" = ?
  and "key" = ?
  and "expires_at" > ?;

-- intake.madeWith
select "content_hash", "answer", "expires_at", held_until - cast(unixepoch('subsec') * 1000 as integer) as "held_ms"
  from "intake_keys"
  where "client_id" = ?
  and "key" = ?
  and "expires_at" > ?;

-- intake.renew
update "intake_keys"
  set "held_until" = cast(unixepoch('subsec') * 1000 as integer) + ?
  where "client_id" = ?
  and "key" = ?
  and "claim" = ?
  and "answer" is null;

-- intake.add
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > ? then last_submitted_at else ? end, "version" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end, "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "last_submitted_at", "event_number", null as "id", null as "server";
update counters
  set value = value + 1
  where name = 'application_ids'
  returning value as id;
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values (?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
insert into "application_terms" ("advertiser_id", "term", "application_id") select ?, value, ?
  from json_each(?);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = application_counts.applications + 1;
insert into "intake_applications" ("application_id", "advertiser_id", "client_id", "key")
  values (?, ?, ?, ?);

-- intake.addOnce
update "intake_keys"
  set "content_hash" = ?
  where "client_id" = ?
  and "key" = ?
  and "claim" = ?
  and "answer" is null;
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > ? then last_submitted_at else ? end, "version" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end, "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "last_submitted_at", "event_number", null as "id", null as "server";
update counters
  set value = value + 1
  where name = 'application_ids'
  returning value as id;
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "blob", "sha256", "size", "scan", "not_judged", "uploaded_at", "changed_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values (?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
insert into "application_terms" ("advertiser_id", "term", "application_id") select ?, value, ?
  from json_each(?);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = application_counts.applications + 1;
insert into "intake_applications" ("application_id", "advertiser_id", "client_id", "key")
  values (?, ?, ?, ?);
update "intake_keys"
  set "content_hash" = ?, "answer" = ?, "expires_at" = ?, "held_until" = ?
  where "client_id" = ?
  and "key" = ?;

-- intake.find
select "advertiser_id"
  from "intake_applications"
  where "client_id" = ?
  and "application_id" = ?;
select "id", "advertiser_id" as "advertiserId", "submitted_at" as "submittedAt"
  from "applications"
  where "advertiser_id" = ?
  and "id" = ?;
select "type", "file_name" as "fileName", "size", "sha256", case "application_files"."not_judged" when 1 then 'not-judged' else "application_files"."scan" end as "scan"
  from "application_files"
  where "advertiser_id" = ?
  and "application_id" = ?;

-- intake.release
delete from "intake_keys"
  where "client_id" = ?
  and "key" = ?
  and "claim" = ?
  and "answer" is null;

-- clients.add (the operator's own look-up or list)
insert into "oauth_clients" ("id", "name", "agent_id", "scopes", "require_pkce", "created_at")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("id") do nothing;
insert into "oauth_client_advertisers" ("client_id", "advertiser_id")
  values (?, ?);
insert into "oauth_client_secrets" ("client_id", "hash", "created_at")
  values (?, ?, ?);
insert into "oauth_redirect_uris" ("client_id", "uri")
  values (?, ?);

-- clients.allow (the operator's own look-up or list)
insert into "oauth_client_advertisers" ("client_id", "advertiser_id")
  values (?, ?)
  on conflict ("client_id", "advertiser_id") do nothing;

-- clients.forbid (the operator's own look-up or list)
delete from "oauth_client_advertisers"
  where "client_id" = ?
  and "advertiser_id" = ?;
select "id"
  from "grants"
  where "advertiser_id" = ?
  and "withdrawn_at" is null
  and "client_id" = ?;
update "grants"
  set "withdrawn_at" = ?
  where "id" = ?
  and "withdrawn_at" is null;
insert into "tombstones" ("id", "content")
  values (?, ?);
update "oauth_codes"
  set "expires_at" = ?
  where "grant_id" = ?
  and "expires_at" > ?;
select "token_hash"
  from "oauth_codes"
  where "grant_id" = ?
  and "token_hash" is not null;

-- clients.setPrivacyUrl (the operator's own look-up or list)
update "oauth_clients"
  set "privacy_url" = ?
  where "id" = ?;

-- clients.setRedirectUris (the operator's own look-up or list)
update "oauth_clients"
  set "name" = "name"
  where "id" = ?;
delete from "oauth_redirect_uris"
  where "client_id" = ?
  returning "uri";
insert into "oauth_redirect_uris" ("client_id", "uri")
  values (?, ?);

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
  where "client"."agent_id" = ?
  order by "client"."id";

-- clientChanges.add
update "oauth_clients"
  set "name" = "name"
  where "id" = ?;
insert into "client_changes" ("client_id", "kind", "id", "value", "requested_by", "requested_at")
  values (?, ?, ?, ?, ?, ?)
  on conflict ("client_id", "kind") do update
  set "id" = ?, "value" = ?, "requested_by" = ?, "requested_at" = ?;

-- clientChanges.listOf
select "id", "client_id" as "clientId", "kind", "value", "requested_by" as "requestedBy", "requested_at" as "requestedAt"
  from "client_changes"
  where "client_id" = ?
  order by "requested_at", "id";

-- clientChanges.list (the operator's own look-up or list)
select "id", "client_id" as "clientId", "kind", "value", "requested_by" as "requestedBy", "requested_at" as "requestedAt"
  from "client_changes"
  order by "requested_at", "id";

-- clientChanges.end
delete from "client_changes"
  where "client_id" = ?
  and "id" = ?
  returning "kind";

-- clients.find
select "client"."id", "client"."name", "client"."agent_id" as "agentId", "client"."scopes", "client"."require_pkce" as "requirePkce", "client"."disabled_at" as "disabledAt", "client"."logo_hash" as "logoHash", "client"."privacy_url" as "privacyUrl", ( select string_agg(uri, ' '
      order by uri)
    from oauth_redirect_uris
    where client_id = client.id ) as "redirectUris", ( select string_agg(hash, ' '
      order by created_at desc)
    from oauth_client_secrets
    where client_id = client.id ) as "secretHashes"
  from "oauth_clients" as "client"
  where "client"."id" = ?;

-- clients.addSecret
update "oauth_clients"
  set "name" = "name"
  where "id" = ?;
select "hash", "created_at"
  from "oauth_client_secrets"
  where "client_id" = ?
  order by "created_at" desc;
insert into "oauth_client_secrets" ("client_id", "hash", "created_at")
  values (?, ?, ?);
delete from "oauth_client_secrets"
  where "client_id" = ?
  and "hash" in (?, ?);
insert into "tombstones" ("id", "content")
  values (?, ?), (?, ?);

-- oauth.revokeToken
update "oauth_tokens"
  set "revoked_at" = ?
  where "hash" = ?
  and "client_id" = ?
  and "revoked_at" is null;

-- consents.narrow
select "released", "decided_at" as "decidedAt"
  from "grants"
  where "id" = ?
  and "candidate_id" = ?
  and "withdrawn_at" is null;
update "grants"
  set "released" = ?
  where "id" = ?
  and "candidate_id" = ?;
update "oauth_codes"
  set "released" = released & cast(? as bigint)
  where "grant_id" = ?
  and released & ~cast(? as bigint) != ?;
update "oauth_tokens"
  set "released" = released & cast(? as bigint)
  where "hash" in (select "token_hash"
    from "oauth_codes"
    where "grant_id" = ?
    and "token_hash" is not null)
  and released & ~cast(? as bigint) != ?;
delete from "released_resumes"
  where "grant_id" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);
select "id", "client_id" as "clientId", "advertiser_id" as "advertiserId"
  from "prefilled_applications"
  where "candidate_id" = ?
  and "grant_id" = ?;
insert into "client_ledger" ("client_id", "event_number")
  values (?, ?)
  on conflict ("client_id") do update
  set "event_number" = case when client_ledger.event_number >= ? then client_ledger.event_number + 1 else ? end
  returning "event_number";
insert into "client_events" ("client_id", "number", "type", "detail")
  values (?, ?, ?, ?);

-- consents.withdraw
update "grants"
  set "withdrawn_at" = ?
  where "id" = ?
  and "candidate_id" = ?
  and "withdrawn_at" is null;
update "oauth_codes"
  set "expires_at" = ?
  where "grant_id" = ?
  and "expires_at" > ?;
update "oauth_tokens"
  set "revoked_at" = ?
  where "hash" in (select "token_hash"
    from "oauth_codes"
    where "grant_id" = ?
    and "token_hash" is not null)
  and "revoked_at" is null;
select "id", "client_id" as "clientId", "advertiser_id" as "advertiserId"
  from "prefilled_applications"
  where "candidate_id" = ?
  and "grant_id" = ?;
insert into "client_ledger" ("client_id", "event_number")
  values (?, ?)
  on conflict ("client_id") do update
  set "event_number" = case when client_ledger.event_number >= ? then client_ledger.event_number + 1 else ? end
  returning "event_number";
insert into "client_events" ("client_id", "number", "type", "detail")
  values (?, ?, ?, ?);
insert into "tombstones" ("id", "content")
  values (?, ?);

-- agents.setProgress
select "progress_granted_at" as "grantedAt"
  from "agent_authorisations"
  where "advertiser_id" = ?
  and "agent_id" = ?;
update "agents"
  set "last_authorised_at" = case when "last_authorised_at" >= ? then "last_authorised_at" + ? else ? end
  where "id" = ?
  returning "last_authorised_at";
update "agent_authorisations"
  set "progress_granted_at" = ?
  where "advertiser_id" = ?
  and "agent_id" = ?;
insert into "tombstones" ("id", "content")
  values (?, ?);

-- agents.withdraw
select "authorised_at"
  from "agent_authorisations"
  where "advertiser_id" = ?
  and "agent_id" = ?;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "event_number";
delete from "agent_authorisations"
  where "advertiser_id" = ?
  and "agent_id" = ?
  returning "authorised_at";
select "id"
  from "grants"
  where "advertiser_id" = ?
  and "withdrawn_at" is null
  and exists (select "oauth_clients"."id"
    from "oauth_clients"
    where "oauth_clients"."id" = "grants"."client_id"
    and "oauth_clients"."agent_id" = ?);
insert into "tombstones" ("id", "content")
  values (?, ?);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
select "id", "types"
  from "webhook_endpoints"
  where "agent_id" = ?;
delete from "webhook_lanes"
  where "advertiser_id" = ?
  and "endpoint_id" in (select "id"
    from "webhook_endpoints"
    where "agent_id" = ?)
  and "kind" = ?;

-- clients.disable
update "oauth_clients"
  set "disabled_at" = coalesce("disabled_at", ?)
  where "id" = ?
  returning "disabled_at";
update "oauth_codes"
  set "expires_at" = ?
  where "client_id" = ?
  and "redeemed_at" is null
  and "expires_at" > ?;
update "oauth_tokens"
  set "revoked_at" = ?
  where "client_id" = ?
  and "hash" in (select "hash"
    from "oauth_tokens"
    where "client_id" = ?
    and "revoked_at" is null
    and "expires_at" > ?);
insert into "tombstones" ("id", "content")
  values (?, ?);

-- imports.begin (the operator's own look-up or list)
insert into "imports" ("file_hash", "entries_done", "imported", "refused", "started_at")
  values (?, ?, ?, ?, ?)
  on conflict do nothing;

-- imports.newestApplications (the operator's own look-up or list)
select "advertiser_id", "last_submitted_at", "version"
  from "advertiser_ledger"
  where "advertiser_id" in (?);

-- imports.addBatch (the operator's own look-up or list)
update "imports"
  set "entries_done" = ?
  where "file_hash" = ?
  and "entries_done" = ?
  and "finished_at" is null;
select "advertiser_id", "last_submitted_at", "version"
  from "advertiser_ledger"
  where "advertiser_id" in (?)
  order by "advertiser_id";
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > ? then last_submitted_at else ? end, "version" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end, "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "last_submitted_at", "event_number", null as "id", null as "server";
update counters
  set value = value + 1
  where name = 'application_ids'
  returning value as id;
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "privacy_version", "ad_version", "status")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful", "details")
  values (?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);
insert into "application_terms" ("advertiser_id", "term", "application_id") select ?, value, ?
  from json_each(?);
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
insert into "application_counts" ("advertiser_id", "job_ad_id", "status", "applications")
  values (?, ?, ?, ?)
  on conflict ("advertiser_id", "job_ad_id", "status") do update
  set "applications" = application_counts.applications + 1;
update "imports"
  set "imported" = "imported" + ?, "refused" = "refused" + ?
  where "file_hash" = ?
  returning "imported", "refused";
update "imports"
  set "entries_done" = ?, "finished_at" = ?
  where "file_hash" = ?
  and "entries_done" = ?
  and "finished_at" is null;
insert into "import_refusals" ("file_hash", "line", "code", "reason")
  values (?, ?, ?, ?);

-- imports.find (the operator's own look-up or list)
select "entries_done" as "linesDone", "imported", "refused", "finished_at" as "finishedAt"
  from "imports"
  where "file_hash" = ?;

-- imports.refusals (the operator's own look-up or list)
select "line", "code", "reason"
  from "import_refusals"
  where "file_hash" = ?
  and "line" > ?
  order by "line"
  limit ?;

-- ownRetention.find
select "own"."advertiser_id", "own"."submitted_at" as "submittedAt", "advertiser"."time_zone" as "timeZone", "advertiser"."retention_choice", "advertiser"."retention_months", "advertiser"."next_retention_months", "advertiser"."retention_changes_at"
  from "own_applications" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = ?
  and "own"."application_id" = ?;
select "erasure"."due_at" as "plannedAt", "hold"."placed_at", "kept"."until" as "keptUntil"
  from "applications" as "application" left join "application_holds" as "hold" on "hold"."advertiser_id" = "application"."advertiser_id"
  and "hold"."application_id" = "application"."id" left join "erasures" as "erasure" on "erasure"."advertiser_id" = "application"."advertiser_id"
  and "erasure"."application_id" = "application"."id" left join "kept_applications" as "kept" on "kept"."advertiser_id" = "application"."advertiser_id"
  and "kept"."application_id" = "application"."id"
  where "application"."advertiser_id" = ?
  and "application"."id" = ?
  and "application"."erased_at" is null;

-- retention.companies (the operator's own look-up or list)
select "id" as "advertiserId", "name", "time_zone" as "timeZone", "keep_months" as "keepMonths", "retention_choice", "retention_months", "next_retention_months", "retention_changes_at", exists (select "application"."id"
    from "applications" as "application"
    where "application"."advertiser_id" = "advertisers"."id"
    and "application"."erased_at" is null) as "isKeeping"
  from "advertisers"
  where "id" > ?
  order by "id"
  limit ?;

-- retention.find
select "id" as "advertiserId", "name", "time_zone" as "timeZone", "keep_months" as "keepMonths", "retention_choice", "retention_months", "next_retention_months", "retention_changes_at", exists (select "application"."id"
    from "applications" as "application"
    where "application"."advertiser_id" = ?
    and "application"."erased_at" is null) as "isKeeping"
  from "advertisers"
  where "id" = ?;

-- retention.update
select "id" as "advertiserId", "name", "time_zone" as "timeZone", "keep_months" as "keepMonths", "retention_choice", "retention_months", "next_retention_months", "retention_changes_at", exists (select "application"."id"
    from "applications" as "application"
    where "application"."advertiser_id" = ?
    and "application"."erased_at" is null) as "isKeeping"
  from "advertisers"
  where "id" = ?;
update "advertisers"
  set "retention_choice" = ?, "retention_months" = ?, "next_retention_months" = ?, "retention_changes_at" = ?
  where "id" = ?;
select "candidate_id" as "candidateId"
  from "memberships"
  where "advertiser_id" = ?
  and "role" = ?;
insert into "deliveries" ("id", "kind", "content", "give_up_at", "state", "due_at", "created_at")
  values (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?);
delete from "erasures"
  where "advertiser_id" = ?
  and "reason" = ?;

-- retention.untold (the operator's own look-up or list)
select "id"
  from "advertisers"
  where "retention_changes_at" > ?
  and (exists (select "admin"."id"
      from "memberships" as "member"
      inner join "candidates" as "admin" on "admin"."id" = "member"."candidate_id"
      where "member"."advertiser_id" = "advertisers"."id"
      and "member"."role" = ?)
    and not exists (select "admin"."id"
      from "memberships" as "member"
      inner join "candidates" as "admin" on "admin"."id" = "member"."candidate_id"
      where "member"."advertiser_id" = "advertisers"."id"
      and "member"."role" = ?
      and "admin"."mail_refused_at" is null))
  order by "id"
  limit ?;
select "id"
  from "advertisers"
  where "retention_changes_at" > ?
  and "id" = ?
  and (exists (select "admin"."id"
      from "memberships" as "member"
      inner join "candidates" as "admin" on "admin"."id" = "member"."candidate_id"
      where "member"."advertiser_id" = "advertisers"."id"
      and "member"."role" = ?)
    and not exists (select "admin"."id"
      from "memberships" as "member"
      inner join "candidates" as "admin" on "admin"."id" = "member"."candidate_id"
      where "member"."advertiser_id" = "advertisers"."id"
      and "member"."role" = ?
      and "admin"."mail_refused_at" is null))
  order by "id"
  limit ?;

-- retention.keptBefore
select count(*) as "applications", count("hold"."application_id") as "onHold", min(case when hold.application_id is null then application.submitted_at end) as "oldestAt"
  from "applications" as "application" left join "application_holds" as "hold" on "hold"."advertiser_id" = "application"."advertiser_id"
  and "hold"."application_id" = "application"."id"
  where "application"."advertiser_id" = ?
  and "application"."submitted_at" < ?
  and "application"."erased_at" is null
  and not exists (select "allowed"."until"
    from "kept_applications" as "allowed"
    where "allowed"."advertiser_id" = "application"."advertiser_id"
    and "allowed"."application_id" = "application"."id"
    and "allowed"."until" >= ?);

-- retention.planErasures
select "id"
  from "advertisers"
  where "id" = ?
  and "retention_months" = ?;
insert into "erasures" ("advertiser_id", "application_id", "due_at", "reason", "ripe_at") select "application"."advertiser_id", "application"."id", cast(? as bigint) as "due_at", 'retention' as "reason", cast(? as bigint) as "ripe_at"
  from "applications" as "application"
  where "application"."advertiser_id" = ?
  and "application"."submitted_at" < ?
  and "application"."erased_at" is null
  and not exists (select "allowed"."until"
    from "kept_applications" as "allowed"
    where "allowed"."advertiser_id" = "application"."advertiser_id"
    and "allowed"."application_id" = "application"."id"
    and "allowed"."until" >= ?)
  and not exists (select "hold"."application_id"
    from "application_holds" as "hold"
    where "hold"."advertiser_id" = "application"."advertiser_id"
    and "hold"."application_id" = "application"."id")
  and not exists (select "erasure"."application_id"
    from "erasures" as "erasure"
    where "erasure"."advertiser_id" = "application"."advertiser_id"
    and "erasure"."application_id" = "application"."id"
    and "erasure"."due_at" <= ?
    and (erasure.ripe_at > 0 or erasure.reason <> 'retention'))
  order by "application"."submitted_at", "application"."id"
  limit ?
  on conflict ("advertiser_id", "application_id") do update
  set "due_at" = "excluded"."due_at", "ripe_at" = "excluded"."ripe_at"
  where (erasures.due_at > excluded.due_at or (erasures.ripe_at = 0
      and erasures.reason = 'retention'));

-- retention.remind (the operator's own look-up or list)
update "kept_applications"
  set "reminded_at" = ?
  where "reminded_at" is null
  and ("advertiser_id", "application_id") in (select "advertiser_id", "application_id"
    from "kept_applications"
    where "reminded_at" is null
    and "until" >= ?
    and "until" <= ?
    order by "until"
    limit ?)
  returning "advertiser_id", "application_id";

-- holds.place
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
insert into "application_holds" ("advertiser_id", "application_id", "reason", "placed_by", "placed_at")
  values (?, ?, ?, ?, ?)
  on conflict ("advertiser_id", "application_id") do nothing;
delete from "erasures"
  where "advertiser_id" = ?
  and "application_id" = ?
  and "reason" = ?;
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "actor_id", "text")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?, ?);

-- holds.find
select "hold"."reason", "hold"."placed_at" as "placedAt", "hold"."placed_by" as "placedBy", nullif(trim(person.first_name || ' ' || person.last_name), '') as "placedByName"
  from "application_holds" as "hold" left join "candidates" as "person" on "person"."id" = "hold"."placed_by"
  where "hold"."advertiser_id" = ?
  and "hold"."application_id" = ?;

-- holds.list (the operator's own look-up or list)
select "hold"."reason", "hold"."placed_at" as "placedAt", "hold"."placed_by" as "placedBy", nullif(trim(person.first_name || ' ' || person.last_name), '') as "placedByName", "hold"."advertiser_id" as "advertiserId", "hold"."application_id" as "applicationId"
  from "application_holds" as "hold" left join "candidates" as "person" on "person"."id" = "hold"."placed_by"
  order by "hold"."advertiser_id", "hold"."application_id";
select "hold"."reason", "hold"."placed_at" as "placedAt", "hold"."placed_by" as "placedBy", nullif(trim(person.first_name || ' ' || person.last_name), '') as "placedByName", "hold"."advertiser_id" as "advertiserId", "hold"."application_id" as "applicationId"
  from "application_holds" as "hold" left join "candidates" as "person" on "person"."id" = "hold"."placed_by"
  where "hold"."advertiser_id" = ?
  order by "hold"."advertiser_id", "hold"."application_id";

-- holds.release
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
delete from "application_holds"
  where "advertiser_id" = ?
  and "application_id" = ?;
delete from "erasures"
  where "advertiser_id" = ?
  and "application_id" = ?
  and "reason" = ?;
insert into "application_history" ("advertiser_id", "position", "application_id", "at", "kind", "actor_id")
  values (?, (select coalesce(max("earlier"."position"), 0) + 1 as "next"
      from "application_history" as "earlier"
      where "earlier"."advertiser_id" = ?
      and "earlier"."application_id" = ?), ?, ?, ?, ?);

-- erasures.due (removes what is over, whoever had it)
select "advertiser_id" as "advertiserId", "application_id" as "applicationId", "due_at" as "dueAt"
  from "erasures"
  where "due_at" <= ?
  and "ripe_at" <= ?
  and (erasures.ripe_at > 0 or erasures.reason <> 'retention')
  and not exists (select "hold"."application_id"
    from "application_holds" as "hold"
    where "hold"."advertiser_id" = "erasures"."advertiser_id"
    and "hold"."application_id" = "erasures"."application_id")
  order by "due_at", "advertiser_id", "application_id"
  limit ?;
select "advertiser_id" as "advertiserId", "application_id" as "applicationId", "due_at" as "dueAt"
  from "erasures"
  where "due_at" <= ?
  and "ripe_at" <= ?
  and (erasures.ripe_at > 0 or erasures.reason <> 'retention')
  and not exists (select "hold"."application_id"
    from "application_holds" as "hold"
    where "hold"."advertiser_id" = "erasures"."advertiser_id"
    and "hold"."application_id" = "erasures"."application_id")
  and ("due_at", "advertiser_id", "application_id") > (?, ?, ?)
  order by "due_at", "advertiser_id", "application_id"
  limit ?;

-- erasures.erase
select "email", "first_name", "last_name", "job_reference", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" = ?;
update "advertiser_ledger"
  set "event_number" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end, "version" = case when (case when version > event_number then version else event_number end) >= ? then (case when version > event_number then version else event_number end) + 1 else ? end
  where "advertiser_id" = ?
  returning "event_number";
select "id", "job_ad_id", "status", "submitted_at", "erased_at"
  from "applications"
  where "advertiser_id" = ?
  and "id" in (?)
  order by "id";
select "placed_at"
  from "application_holds"
  where "advertiser_id" = ?
  and "application_id" = ?;
delete from "erasures"
  where "advertiser_id" = ?
  and "application_id" = ?
  and "due_at" <= ?
  and "ripe_at" <= ?
  and (erasures.ripe_at > 0 or erasures.reason <> 'retention')
  returning "reason";
delete from "erasures"
  where "advertiser_id" = ?
  and "application_id" = ?
  returning "reason";
delete from "application_files"
  where "advertiser_id" = ?
  and "application_id" = ?
  returning "blob";
insert into "loose_blobs" ("blob", "since")
  values (?, ?)
  on conflict ("blob") do update
  set "since" = case when "loose_blobs"."since" < ? then ? else "loose_blobs"."since" + ? end;
delete from "application_screens"
  where "advertiser_id" = ?
  and "application_id" = ?;
delete from "application_terms"
  where "advertiser_id" = ?
  and "term" in (?, ?, ?)
  and "application_id" = ?;
update "applications"
  set "email" = ?, "first_name" = ?, "last_name" = ?, "phone" = ?, "job_title" = ?, "company_name" = ?, "time_in_role_months" = ?, "is_new_to_work_force" = ?, "screen_successful" = ?, "has_virus" = ?, "ad_version" = ?, "erased_at" = ?
  where "advertiser_id" = ?
  and "id" = ?;
delete from "application_history"
  where "advertiser_id" = ?
  and "application_id" = ?;
delete from "application_reads"
  where "advertiser_id" = ?
  and "application_id" = ?;
delete from "application_holds"
  where "advertiser_id" = ?
  and "application_id" = ?;
delete from "kept_applications"
  where "advertiser_id" = ?
  and "application_id" = ?;
select "advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force", "job_ad_id", "screen_successful", "has_virus", "erased_at", "status"
  from "applications"
  where "advertiser_id" = ?
  and "id" = ?;
select "type", "sha256", "size", "scan", "uploaded_at" as "uploadedAt"
  from "application_files"
  where "advertiser_id" = ?
  and "application_id" = ?;
select "sha256", "size"
  from "application_screens"
  where "advertiser_id" = ?
  and "application_id" = ?;
update "application_pieces"
  set "body" = ?, "primary_info" = ?
  where "advertiser_id" = ?
  and "format" = ?
  and "id" = ?;
select "client_id", "key"
  from "intake_applications"
  where "application_id" = ?
  and "advertiser_id" = ?
  and "key" is not null;
insert into "events" ("advertiser_id", "number", "type", "application_id", "detail")
  values (?, ?, ?, ?, ?);
insert into "tombstones" ("id", "content")
  values (?, ?);

-- accountRemoval.lastAdminOf
select "advertiser"."id", "advertiser"."name", "advertiser"."status"
  from "memberships" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = ?
  and "own"."role" = ?
  and not exists (select "other"."candidate_id"
    from "memberships" as "other"
    where "other"."advertiser_id" = "own"."advertiser_id"
    and "other"."candidate_id" != "own"."candidate_id"
    and "other"."role" = ?)
  order by "advertiser"."name", "advertiser"."id";
select "agent"."id", "agent"."name"
  from "agent_members" as "own"
  inner join "agents" as "agent" on "agent"."id" = "own"."agent_id"
  where "own"."candidate_id" = ?
  and "own"."role" = ?
  and not exists (select "other"."candidate_id"
    from "agent_members" as "other"
    where "other"."agent_id" = "own"."agent_id"
    and "other"."candidate_id" != "own"."candidate_id"
    and "other"."role" = ?)
  order by "agent"."name", "agent"."id";
select "candidate_id"
  from "operators"
  where "role" = ?;

-- accountRemoval.remove
update "candidates"
  set "password_hash" = ?
  where "id" = ?
  and "password_hash" = ?;
select "advertiser"."id", "advertiser"."name", "advertiser"."status"
  from "memberships" as "own"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "own"."advertiser_id"
  where "own"."candidate_id" = ?
  and "own"."role" = ?
  and not exists (select "other"."candidate_id"
    from "memberships" as "other"
    where "other"."advertiser_id" = "own"."advertiser_id"
    and "other"."candidate_id" != "own"."candidate_id"
    and "other"."role" = ?)
  order by "advertiser"."name", "advertiser"."id";
select "agent"."id", "agent"."name"
  from "agent_members" as "own"
  inner join "agents" as "agent" on "agent"."id" = "own"."agent_id"
  where "own"."candidate_id" = ?
  and "own"."role" = ?
  and not exists (select "other"."candidate_id"
    from "agent_members" as "other"
    where "other"."agent_id" = "own"."agent_id"
    and "other"."candidate_id" != "own"."candidate_id"
    and "other"."role" = ?)
  order by "agent"."name", "agent"."id";
select "candidate_id"
  from "operators"
  where "role" = ?;
select "advertiser_id" as "scope"
  from "memberships"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "agent_members"
  where "candidate_id" = ?
  union all select 0 as "scope"
  from "operators"
  where "candidate_id" = ?;
delete from "own_applications"
  where "candidate_id" = ?
  returning "advertiser_id", "application_id";
insert into "erasures" ("advertiser_id", "application_id", "due_at", "reason")
  values (?, ?, ?, ?), (?, ?, ?, ?), (?, ?, ?, ?)
  on conflict ("advertiser_id", "application_id") do update
  set "due_at" = case when erasures.due_at < excluded.due_at then erasures.due_at else excluded.due_at end, "reason" = excluded.reason, "ripe_at" = case when erasures.due_at < excluded.due_at then erasures.ripe_at else 0 end;
select "id", "client_id" as "clientId", "advertiser_id" as "advertiserId"
  from "prefilled_applications"
  where "candidate_id" = ?;
select "email"
  from "candidates"
  where "id" = ?
  and "email_confirmed_at" is not null;
delete from "email_codes"
  where "email" = (select "email"
    from "candidates"
    where "id" = ?);
delete from "disclosures"
  where "candidate_id" = ?;
delete from "prefilled_applications"
  where "candidate_id" = ?;
delete from "sessions"
  where "candidate_id" = ?;
delete from "totp_factors"
  where "candidate_id" = ?;
delete from "passkeys"
  where "candidate_id" = ?;
delete from "recovery_codes"
  where "candidate_id" = ?;
delete from "identities"
  where "candidate_id" = ?;
delete from "account_links"
  where "candidate_id" = ?;
delete from "mailbox_passwords"
  where "candidate_id" = ?;
delete from "undo_links"
  where "candidate_id" = ?;
delete from "memberships"
  where "candidate_id" = ?;
delete from "operators"
  where "candidate_id" = ?;
delete from "agent_members"
  where "candidate_id" = ?;
select "email"
  from "candidates"
  where "id" = ?;
delete from "deliveries"
  where (content like ? escape '!' or content like ? escape '!');
delete from "released_resumes"
  where "grant_id" in (select "id"
    from "grants"
    where "candidate_id" = ?);
delete from "oauth_tokens"
  where "grant_id" in (select "id"
    from "grants"
    where "candidate_id" = ?);
delete from "oauth_codes"
  where "grant_id" in (select "id"
    from "grants"
    where "candidate_id" = ?);
delete from "grants"
  where "candidate_id" = ?;
update "drafts"
  set "version" = "version"
  where "candidate_id" = ?
  returning "id";
delete from "draft_files"
  where "draft_id" in (?)
  returning "blob";
delete from "drafts"
  where "id" in (?)
  and "candidate_id" = ?;
insert into "loose_blobs" ("blob", "since")
  values (?, ?)
  on conflict ("blob") do update
  set "since" = case when "loose_blobs"."since" < ? then ? else "loose_blobs"."since" + ? end;
delete from "resumes"
  where "candidate_id" = ?
  returning "blob";
delete from "candidates"
  where "id" = ?;
insert into "client_ledger" ("client_id", "event_number")
  values (?, ?)
  on conflict ("client_id") do update
  set "event_number" = case when client_ledger.event_number >= ? then client_ledger.event_number + 1 else ? end
  returning "event_number";
insert into "client_events" ("client_id", "number", "type", "detail")
  values (?, ?, ?, ?);
insert into "tombstones" ("id", "content")
  values (?, ?);

-- audit.record
insert into "audit_heads" ("scope", "number", "at", "hash", "month", "first_number", "first_prev")
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict ("scope") do update
  set "number" = audit_heads.number
  returning "scope", "number", "at", "hash", "month", "first_number", "first_prev";
insert into "audit_entries" ("scope", "number", "at", "proof", "action", "target", "before", "after", "prev", "actor_kind", "actor_id", "request_id", "hash", "address")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
update "audit_heads"
  set "number" = ?, "at" = ?, "hash" = ?, "month" = ?
  where "scope" = ?;

-- audit.list (the operator's own look-up or list)
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where "scope" = ?
  order by "number" desc
  limit ?;
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where "at" >= ?
  and "at" < ?
  and "actor_kind" = ?
  and action >= ?
  and action < ?
  and "scope" = ?
  and "number" < ?
  order by "number" desc
  limit ?;
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where "actor_id" = ?
  and "action" = ?
  order by "at" desc, "scope" desc, "number" desc
  limit ?;
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where ("at", "scope", "number") < (?, ?, ?)
  order by "at" desc, "scope" desc, "number" desc
  limit ?;

-- audit.read (the operator's own look-up or list)
select "scope", "number", "at", "actor_kind" as "actorKind", "actor_id" as "actorId", "proof", "action", "target", "before", "after", "request_id" as "requestId", "prev", "hash", "address"
  from "audit_entries"
  where "scope" = ?
  and "number" > ?
  order by "number"
  limit ?;

-- audit.heads (the operator's own look-up or list)
select "scope", "number", "hash"
  from "audit_heads"
  order by "scope";
select "scope", "number", "hash"
  from "audit_heads"
  where "scope" = ?
  order by "scope";

-- audit.seals (the operator's own look-up or list)
select "month", "first_number", "last_number", "prev", "hash", "dropped_at"
  from "audit_seals"
  where "scope" = ?
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
  where "key" = ?;

-- audit.databaseId (the operator's own look-up or list)
select "value"
  from "meta"
  where "key" = ?;

-- failedSignIns.note (counts wrong passwords of everyone who works for a company, an agent or the board)
select "value"
  from "meta"
  where "key" = ?;
select "key", "failures", "last_failed_at" as "lastAt"
  from "sign_in_failures"
  where "key" < ?
  and "last_failed_at" > ?
  and "last_failed_at" <= ?
  and "failures" >= ?
  limit ?;
insert into "meta" ("key", "value")
  values (?, ?)
  on conflict ("key") do update
  set "value" = ?;

-- audit.expireAddresses (removes what is over, whoever had it)
update "audit_entries"
  set "address" = ?
  where ("scope", "number") in (select "scope", "number"
    from "audit_entries"
    where "address" is not null
    and "at" < ?
    order by "at"
    limit ?);

-- audit.dropMonths (removes what is over, whoever had it)
select "scope"
  from "audit_heads"
  where "month" < ?
  and "number" > ?
  order by "scope";
update "audit_seals"
  set "dropped_at" = ?
  where "dropped_at" is null
  and "month" < ?;

-- audit.removeDropped (removes what is over, whoever had it)
delete from "audit_entries"
  where ("scope", "number") in (select "entry"."scope", "entry"."number"
    from "audit_seals" as "seal"
    inner join "audit_entries" as "entry" on "entry"."scope" = "seal"."scope"
    and "entry"."number" >= "seal"."first_number"
    and "entry"."number" <= "seal"."last_number"
    where "seal"."dropped_at" >= ?
    limit ?);

-- outbox.add (emails of the demo, which are public)
insert into "demo_outbox" ("id", "recipient", "subject", "body", "html", "sent_at")
  values (?, ?, ?, ?, ?, ?);

-- outbox.findHtml (emails of the demo, which are public)
select "html"
  from "demo_outbox"
  where "id" = ?;

-- outbox.list (emails of the demo, which are public)
select "id", "recipient", "subject", "body", "sent_at" as "sentAt"
  from "demo_outbox"
  order by "sent_at" desc, "id"
  limit ?;

-- demo.state (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "value"
  from "meta"
  where "key" = ?;
select 'advertiser' as "what"
  from "advertisers"
  union all select 'candidate' as "what"
  from "candidates"
  union all select 'agent' as "what"
  from "agents"
  union all select 'client' as "what"
  from "oauth_clients"
  limit ?;

-- demo.world (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "value"
  from "meta"
  where "key" = ?;

-- demo.claim (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "meta" ("key", "value")
  values (?, ?)
  on conflict ("key") do nothing;
select "value"
  from "meta"
  where "key" = ?;
update "meta"
  set "value" = ?
  where "key" = ?
  and "value" = ?;

-- demo.seize (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "meta" ("key", "value")
  values (?, ?)
  on conflict ("key") do update
  set "value" = ?;

-- demo.unmark (the demo world: it fills and empties whole databases, and refuses those that are not its own)
delete from "meta"
  where "key" = ?;

-- demo.addBoard (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "candidates" ("id", "email", "email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?);
insert into "memberships" ("advertiser_id", "candidate_id", "role", "created_at")
  values (?, ?, ?, ?);
insert into "operators" ("candidate_id", "role", "created_at")
  values (?, ?, ?);
insert into "screens" ("status", "created_at", "updated_at", "advertiser_id", "id", "name", "questions")
  values (?, ?, ?, ?, ?, ?, ?);
insert into "job_ads" ("status", "created_at", "updated_at", "id", "title", "location", "description", "reference", "details", "workplace", "employment_types", "has_pay", "advertiser_id", "screen_id", "closing_date", "search_text")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- demo.listRedirectUris (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "client_id" as "clientId", "uri"
  from "oauth_redirect_uris";

-- demo.keepHooks (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "id", "advertiser_id", "agent_id", "url", "description", "types", "scheme", "state", "generation", "overlap_until", "created_at", "rotated_at", "failing_since", "failed_at", "succeeded_at", "told", "stopped_at", "stop_reason", "answer_ms", "skew_ms", "key_lost_at"
  from "webhook_endpoints";

-- demo.addRedirectUri (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "oauth_redirect_uris" ("client_id", "uri") select "id", ? as "uri"
  from "oauth_clients"
  where "id" = ?
  on conflict ("client_id", "uri") do nothing;

-- demo.finish (the demo world: it fills and empties whole databases, and refuses those that are not its own)
delete from "deliveries";
update "memberships"
  set "told_up_to" = (select coalesce(max("applications"."id"), 0) as "newest"
    from "applications"
    where "applications"."advertiser_id" = "memberships"."advertiser_id");
update "meta"
  set "value" = ?
  where "key" = ?;

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
update counters
  set value = case name when 'application_ids' then 0 else 1000 end;
