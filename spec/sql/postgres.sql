-- advertisers.add (the operator's own look-up or list)
insert into "advertisers" ("id", "name", "status", "created_at")
  values ((select coalesce(max(id) + 1, $1)
      from advertisers), $2, $3, $4)
  on conflict ("id") do nothing
  returning *;
insert into "advertiser_ledger" ("advertiser_id", "last_submitted_at", "version")
  values ($1, $2, $3);
insert into "advertisers" ("id", "name", "status", "created_at")
  values ($1, $2, $3, $4)
  on conflict ("id") do nothing
  returning *;

-- advertisers.list (the operator's own look-up or list)
select *
  from "advertisers"
  order by "id";

-- advertisers.find
select *
  from "advertisers"
  where "id" = $1;

-- advertisers.setStatus
update "advertisers"
  set "status" = $1
  where "id" = $2
  returning *;

-- credentials.findOwner (the credential is what says who asks)
select "credential"."id" as "credentialId", "advertiser"."id" as "advertiserId", "advertiser"."status" as "advertiserStatus", "credential"."expires_at" as "expiresAt", "credential"."revoked_at" as "revokedAt", "credential"."last_used_at" as "lastUsedAt"
  from "sws_credentials" as "credential"
  inner join "advertisers" as "advertiser" on "advertiser"."id" = "credential"."advertiser_id"
  where "credential"."hash" = $1;

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
  set "revoked_at" = coalesce("revoked_at", $1)
  where "advertiser_id" = $2
  and "id" = $3
  returning "id", "hint", "label", "created_at" as "createdAt", "expires_at" as "expiresAt", "revoked_at" as "revokedAt", "last_used_at" as "lastUsedAt";

-- credentials.recordUse
update "sws_credentials"
  set "last_used_at" = $1
  where "advertiser_id" = $2
  and "id" = $3
  and ("last_used_at" is null or "last_used_at" <= $4);

-- applications.add
update "advertiser_ledger"
  set "last_submitted_at" = case when last_submitted_at > $1 then last_submitted_at else $2 end, "version" = "version" + $3
  where "advertiser_id" = $4
  returning "last_submitted_at";
select nextval('application_ids') as id;
insert into "applications" ("advertiser_id", "id", "submitted_at", "job_seeker_id", "email", "first_name", "last_name", "phone", "job_reference", "job_title", "company_name", "time_in_role_months", "is_new_to_work_force")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);
insert into "application_files" ("advertiser_id", "application_id", "type", "file_name", "content_type", "sha256", "size", "scan", "uploaded_at", "changed_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
insert into "application_screens" ("advertiser_id", "application_id", "json", "xml", "sha256", "size", "successful")
  values ($1, $2, $3, $4, $5, $6, $7);
insert into "application_pieces" ("advertiser_id", "format", "id", "body", "primary_info")
  values ($1, $2, $3, $4, $5), ($6, $7, $8, $9, $10);

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
select "content", "count", "lastId", exists (select 1 as "one"
    from "application_pieces"
    where "advertiser_id" = $1
    and "format" = 'json'
    and "id" < $2
    and "id" > "page"."lastId") as "hasMore"
  from (select convert_from(convert_to(string_agg(piece, '},'), 'UTF8'), 'LATIN1') as "content", count(*) as "count", max("id") as "lastId"
    from (select "id", "body" as "piece"
      from "application_pieces"
      where "advertiser_id" = $3
      and "format" = 'json'
      and "id" < $4
      and "id" > $5
      order by "id"
      limit $6) as "pieces") as "page";
select "content", "count", "lastId", exists (select 1 as "one"
    from "application_pieces"
    where "advertiser_id" = $1
    and "format" = 'json'
    and "id" < $2
    and "id" > "page"."lastId") as "hasMore"
  from (select convert_from(convert_to(string_agg(piece, '},'), 'UTF8'), 'LATIN1') as "content", count(*) as "count", max("id") as "lastId"
    from (select "id", body || primary_info as "piece"
      from "application_pieces"
      where "advertiser_id" = $3
      and "format" = 'json'
      and "id" < $4
      and "id" > $5
      order by "id"
      limit $6) as "pieces") as "page";
select "content", "count", "lastId", exists (select 1 as "one"
    from "application_pieces"
    where "advertiser_id" = $1
    and "format" = 'xml'
    and "id" < $2
    and "id" > "page"."lastId") as "hasMore"
  from (select convert_from(convert_to(string_agg(piece, '</JobApplication>'), 'UTF8'), 'LATIN1') as "content", count(*) as "count", max("id") as "lastId"
    from (select "id", "body" as "piece"
      from "application_pieces"
      where "advertiser_id" = $3
      and "format" = 'xml'
      and "id" < $4
      and "id" > $5
      order by "id"
      limit $6) as "pieces") as "page";
select "content", "count", "lastId", exists (select 1 as "one"
    from "application_pieces"
    where "advertiser_id" = $1
    and "format" = 'xml'
    and "id" < $2
    and "id" > "page"."lastId") as "hasMore"
  from (select convert_from(convert_to(string_agg(piece, '</JobApplication>'), 'UTF8'), 'LATIN1') as "content", count(*) as "count", max("id") as "lastId"
    from (select "id", body || primary_info as "piece"
      from "application_pieces"
      where "advertiser_id" = $3
      and "format" = 'xml'
      and "id" < $4
      and "id" > $5
      order by "id"
      limit $6) as "pieces") as "page";

-- applications.file
select "type", "file_name" as "fileName", "content_type" as "contentType", "sha256", "size", "scan", "uploaded_at" as "uploadedAt", "changed_at" as "changedAt"
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
select "type"
  from "application_files"
  where "advertiser_id" = $1
  and "application_id" = $2
  and "type" = $3
  and "scan" != $4;
update "advertiser_ledger"
  set "version" = "version" + $1
  where "advertiser_id" = $2;
update "application_files"
  set "scan" = $1, "changed_at" = $2
  where "advertiser_id" = $3
  and "application_id" = $4
  and "type" = $5
  and "scan" != $6;
select *
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
update "application_files"
  set "scan" = $1, "changed_at" = $2, "sha256" = $3, "size" = $4
  where "advertiser_id" = $5
  and "application_id" = $6
  and "type" = $7
  and "scan" != $8;

-- blobReferences.page (the operator's check of the files, whoever they belong to)
select "sha256", "size"
  from (select "sha256", "size"
    from "application_files"
    where "scan" != $1
    union select "sha256", "size"
    from "resumes"
    where "scan" != $2) as "file"
  where "sha256" > $3
  order by "sha256"
  limit $4;

-- demo.state (the demo world: it fills and empties whole databases, and refuses those that are not its own)
select "value"
  from "meta"
  where "key" = $1;
select 'advertiser' as "what"
  from "advertisers"
  union all select 'candidate' as "what"
  from "candidates"
  limit $1;

-- demo.claim (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "meta" ("key", "value")
  values ($1, $2)
  on conflict ("key") do nothing;

-- demo.seize (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "meta" ("key", "value")
  values ($1, $2)
  on conflict ("key") do update
  set "value" = $3;

-- demo.unmark (the demo world: it fills and empties whole databases, and refuses those that are not its own)
delete from "meta"
  where "key" = $1;

-- demo.addAccounts (the demo world: it fills and empties whole databases, and refuses those that are not its own)
insert into "advertisers" ("id", "name", "status", "created_at")
  values ($1, $2, $3, $4);
insert into "advertiser_ledger" ("advertiser_id", "last_submitted_at", "version")
  values ($1, $2, $3);
insert into "sws_credentials" ("id", "hash", "hint", "label", "advertiser_id", "created_at")
  values ($1, $2, $3, $4, $5, $6);
insert into "agents" ("id", "name", "created_at")
  values ($1, $2, $3);
insert into "agent_authorisations" ("advertiser_id", "agent_id", "authorised_at")
  values ($1, $2, $3);
insert into "oauth_clients" ("id", "name", "agent_id", "created_at")
  values ($1, $2, $3, $4);
insert into "oauth_client_secrets" ("client_id", "hash", "created_at")
  values ($1, $2, $3);
insert into "candidates" ("id", "email", "email_confirmed_at", "password_hash", "first_name", "last_name", "profile", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, $8);
insert into "resumes" ("id", "candidate_id", "file_name", "content_type", "sha256", "size", "scan", "uploaded_at", "is_default")
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- demo.finish (the demo world: it fills and empties whole databases, and refuses those that are not its own)
update "meta"
  set "value" = $1
  where "key" = $2;

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
alter sequence application_ids restart;
