import { sql } from 'kysely'

/** Neither a scope, nor a URI, nor a hash has a blank in it, so lists of them travel as one text. */
export const wordsOf = (text: string | null) => (text ?? '').split(' ').filter(Boolean)

export const redirectUris = sql<string | null>`(
  select string_agg(uri, ' ' order by uri) from oauth_redirect_uris where client_id = client.id
)`.as('redirectUris')
