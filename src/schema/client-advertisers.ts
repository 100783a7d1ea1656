import { sql } from 'kysely'

/** Whether the operator has allowed the client, which has no agent, to act for the advertiser. */
const isAllowedPair = sql`exists (select 1 from oauth_client_advertisers
  where oauth_client_advertisers.client_id = client.id and oauth_client_advertisers.advertiser_id = advertiser.id)`

const isAuthorisedAgent = sql`exists (select 1 from agent_authorisations
  where agent_authorisations.advertiser_id = advertiser.id and agent_authorisations.agent_id = client.agent_id)`

/** 1 if the client may now state that it acts for the advertiser. */
export const actsFor = sql<number>`case when client.agent_id is null then
    case when ${isAllowedPair} then 1 else 0 end
  when ${isAuthorisedAgent} then 1 else 0 end`

/**
 * Whether the client may fill in applications to the advertiser: an agent's client only while the agent is authorised.
 */
export const mayApplyTo = sql<boolean>`(client.agent_id is null or ${isAuthorisedAgent})`

/**
 * Whether candidates are told that the client acted for the advertiser. Agents' clients could not name another
 * advertiser; the one that any other client sends means nothing until the operator has allowed the pair.
 */
const isNamed = sql<boolean>`(client.agent_id is not null or ${isAllowedPair})`
export const namedAdvertiser = sql<string | null>`case when ${isNamed} then advertiser.name end`
export const namedAdvertiserId = sql<number | null>`case when ${isNamed} then advertiser.id end`
export const namedLogo = sql<string | null>`case when ${isNamed} then advertiser.logo_hash end`
