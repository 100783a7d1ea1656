import { sql } from 'kysely'

/** Splits a list read as one text. Scopes, URIs and hashes contain no spaces. */
export const wordsOf = (text: string | null) => (text ?? '').split(' ').filter(Boolean)

export const redirectUris = sql<string | null>`(
  select string_agg(uri, ' ' order by uri) from oauth_redirect_uris where client_id = client.id
)`.as('redirectUris')
