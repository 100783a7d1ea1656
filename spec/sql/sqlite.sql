-- advertisers.add (the operator's own look-up or list)
insert into "advertisers" ("id", "name", "status", "created_at")
  values ((select coalesce(max(id) + 1, ?)
      from advertisers), ?, ?, ?)
  on conflict ("id") do nothing
  returning *;
insert into "advertiser_ledger" ("advertiser_id", "last_submitted_at", "version")
  values (?, ?, ?);
insert into "advertisers" ("id", "name", "status", "created_at")
  values (?, ?, ?, ?)
  on conflict ("id") do nothing
  returning *;

-- advertisers.list (the operator's own look-up or list)
select *
  from "advertisers"
  order by "id";

-- advertisers.find
select *
  from "advertisers"
  where "id" = ?;

-- advertisers.setStatus
update "advertisers"
  set "status" = ?
  where "id" = ?
  returning *;

-- credentials.findOwner (the credential is what says who asks)
select "credential"."id" as "credentialId", "advertiser"."id" as "advertiserId", "advertiser"."status" as "advertiserStatus", "credential"."expires_at" as "expiresAt", "credential"."revoked_at" as "revokedAt", "credential"."last_used_at" as "lastUsedAt"
  from "sws_credentials" as "credential"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "credential"."advertiser_id"
  where "credential"."hash" = ?;

-- credentials.advertiserOf (the operator's own look-up or list)
select "advertiser_id"
  from "sws_credentials"
  where "id" = ?;

-- credentials.add
insert into "sws_credentials" ("id", "advertiser_id", "hash", "hint", "label", "created_at", "expires_at")
  values (?, ?, ?, ?, ?, ?, ?);

-- credentials.list
select "id", "hint", "label", "created_at" as "createdAt", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "last_used_at" as "lastUsedAt"
  from "sws_credentials"
  where "advertiser_id" = ?
  order by "created_at", "id";

-- credentials.revoke
update "sws_credentials"
  set "revoked_at" = coalesce("revoked_at", ?)
  where "advertiser_id" = ?
  and "id" = ?
  returning "id", "hint", "label", "created_at" as "createdAt", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "last_used_at" as "lastUsedAt";

-- credentials.recordUse
update "sws_credentials"
  set "last_used_at" = ?
  where "advertiser_id" = ?
  and "id" = ?
  and ("last_used_at" is null or "last_used_at" <= ?);

-- applications.add
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > ? then last_submitted_at else ? end, "version" = "version" + ?
  where "advertiser_id" = ?
  returning "last_submitted_at";
update counters
  set value = value + 1
  where name = 'application_ids'
  returning value as id;
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "sha256", "size", "scan", "uploaded_at", "changed_at")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful")
  values (?, ?, ?, ?, ?, ?, ?);
insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
  values (?, ?, ?, ?, ?), (?, ?, ?, ?, ?);

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

-- applications.page
select "content", "count", "lastId", exists (select 1 as "one"
    from "application_pieces"
    where "advertiser_id" = ?
    and "format" = 'json'
    and "id" < ?
    and "id" > "page"."lastId") as "hasMore"
  from (select cast(string_agg(piece, '},') as blob) as "content", count(*) as "count", max("id") as "lastId"
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
  from (select cast(string_agg(piece, '},') as blob) as "content", count(*) as "count", max("id") as "lastId"
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
  from (select cast(string_agg(piece, '</JobApplication>') as blob) as "content", count(*) as "count", max("id") as "lastId"
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
  from (select cast(string_agg(piece, '</JobApplication>') as blob) as "content", count(*) as "count", max("id") as "lastId"
    from (select "id", body || primary_info as "piece"
      from "application_pieces"
      where "advertiser_id" = ?
      and "format" = 'xml'
      and "id" < ?
      and "id" > ?
      order by "id"
      limit ? + 0) as "pieces") as "page";

-- applications.file
select "type", "file_name" as "fileName", "content_type" as "contentType", "sha256", "size", "scan", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt"
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
select "type"
  from "application_files"
  where "advertiser_id" = ?
  and "application_id" = ?
  and "type" = ?
  and "scan" != ?;
update "advertiser_ledger"
  set "version" = "version" + ?
  where "advertiser_id" = ?;
update "application_files"
  set "scan" = ?, "changed_at" = ?
  where "advertiser_id" = ?
  and "application_id" = ?
  and "type" = ?
  and "scan" != ?;
select *
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
update "application_files"
  set "scan" = ?, "changed_at" = ?, "sha256" = ?, "size" = ?
  where "advertiser_id" = ?
  and "application_id" = ?
  and "type" = ?
  and "scan" != ?;

-- blobReferences.page (the operator's check of the files, whoever they belong to)
select "sha256", "size"
  from (select "sha256", "size"
    from "application_files"
    where "scan" != ?
    union select "sha256", "size"
    from "resumes"
    where "scan" != ?) as "file"
  where "sha256" > ?
  order by "sha256"
  limit ?;

-- demo.state (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "value"
  from "meta"
  where "key" = ?;
select 'advertiser' as "what"
  from "advertisers"
  union all select 'candidate' as "what"
  from "candidates"
  limit ?;

-- demo.claim (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "meta" ("key", "value")
  values (?, ?)
  on conflict ("key") do nothing;

-- demo.seize (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "meta" ("key", "value")
  values (?, ?)
  on conflict ("key") do update
  set "value" = ?;

-- demo.unmark (the demo world: it fills and empties whole databases, and refuses those that are not its own)
delete from "meta"
  where "key" = ?;

-- demo.addAccounts (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "advertisers" ("id", "name", "status", "created_at")
  values (?, ?, ?, ?);
insert into "advertiser_ledger" ("advertiser_id", "last_submitted_at", "version")
  values (?, ?, ?);
insert into "sws_credentials" ("id", "hash", "hint", "label", "advertiser_id", "created_at")
  values (?, ?, ?, ?, ?, ?);
insert into "agents" ("id", "name", "created_at")
  values (?, ?, ?);
insert into "agent_authorisations" ("advertiser_id", "agent_id", "authorised_at")
  values (?, ?, ?);
insert into "oauth_clients" ("id", "name", "agent_id", "created_at")
  values (?, ?, ?, ?);
insert into "oauth_client_secrets" ("client_id", "hash", "created_at")
  values (?, ?, ?);
insert into "candidates" ("id", "email", "email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "created_at")
  values (?, ?, ?, ?, ?, ?, ?, ?);
insert into "resumes" ("id", "candidate_id", "file_name", "content_type", "sha256", "size", "scan", "uploaded_at", "is_default")
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- demo.finish (the demo world: it fills and empties whole databases, and refuses those that are not its own)
update "meta"
  set "value" = ?
  where "key" = ?;

-- demo.clear (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "sha256"
  from "application_files"
  union select "sha256"
  from "resumes";
delete from "application_pieces";
delete from "application_screens";
delete from "application_files";
delete from "applications";
delete from "resumes";
delete from "candidates";
delete from "oauth_client_secrets";
delete from "oauth_clients";
delete from "agent_authorisations";
delete from "agents";
delete from "sws_credentials";
delete from "advertiser_ledger";
delete from "advertisers";
update counters
  set value = 0;
