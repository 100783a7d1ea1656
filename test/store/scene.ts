import type { Submission } from '../../src/apply/form/own-application.ts'
import type { NewApplication } from '../../src/apply/new-application.ts'
import type { JobAdFields } from '../../src/model/job-ad.ts'
import type { ProfileToken } from '../../src/model/principal.ts'
import type { PrefillRequest } from '../../src/share/prefill/prefill-request.ts'
import { scopes } from '../../src/share/protocol/scopes.ts'
import { plainDraft } from '../harness/applications.ts'
import { inFirefox } from '../harness/proof.ts'
import { type AgentPeople, addAgentPeople, addEndpoint, counter, newInvitation } from './scene-parts.ts'
import { sendAsBoard } from './sending.ts'
import type { Stores } from './stores.ts'

export { newInvitation }

export const at = 1_794_614_400_000
/** The day of `at`, ten hours further east. */
export const usageDay = '2026-11-14'
export const later = at + 3_600_000
export const hash = 'a'.repeat(64)
export const redirectUri = 'https://client.example/back'

/** The caller, and the identifiers of the owner's data. */
export interface Scene {
  advertiserId: number
  applicationId: number
  sentApplicationId: number
  jobAdId: number
  screenId: number
  credentialId: string
  credentialHash: string
  agentId: number
  agentTokenHash: string
  candidateId: string
  email: string
  passwordHash: string
  resumeId: string
  /** What the candidate sent here, and the form that it was. */
  ownApplicationId: number
  formKey: string
  draftId: string
  sessionId: string
  sessionHash: string
  clientId: string
  grantId: string
  /** The secrets that the grant's client holds. */
  token: ProfileToken
  /** Not redeemed. */
  codeHash: string
  prefilledId: string
  releasedId: string
  /** By purpose, each for its own account: using one removes the others of its account. */
  links: Record<'confirm' | 'change-email' | 'reset', string>
  /** Another person who works for the advertiser. */
  colleagueId: string
  invitationId: string
  agentPeople: AgentPeople
  /** Of a webhook. */
  endpointId: string
  /** Two open ones, to be used up. */
  invitationHashes: [string, string]
  /** Different in every call, for values that must be new. */
  fresh(): string
}

/** What a function asks first: whose data is it about? */
export const kinds = ['advertiser', 'candidate', 'client', 'grant', 'agent'] as const
export type Kind = (typeof kinds)[number]

/** The tables with the owners of a kind; elsewhere a column named after the kind identifies the owner. */
export const ownTables: Record<Kind, string> = {
  advertiser: 'advertisers',
  candidate: 'candidates',
  client: 'oauth_clients',
  grant: 'grants',
  agent: 'agents',
}

/** By kind: the fields that identify the caller. All others in the scene of a stranger are still the owner's. */
const callers = {
  advertiser: ['advertiserId'],
  candidate: ['candidateId'],
  client: ['clientId', 'agentId'],
  grant: ['grantId', 'token'],
  agent: ['agentId'],
} as const satisfies Record<Kind, (keyof Scene)[]>

type Strangers = Pick<Scene, (typeof callers)[Kind][number]>

export interface Scenes {
  owner: Scene
  /** An advertiser, a candidate, a client and a grant that have nothing to do with the owner's. */
  strangers: Strangers
}

/** The stranger's identity with everything that is the owner's. */
export function sceneOfStranger({ owner, strangers }: Scenes, kind: Kind): Scene {
  const own = callers[kind].map(key => [key, strangers[key]])
  return { ...owner, ...Object.fromEntries(own), fresh: counter('of-stranger') }
}

/** A person who is in no table. */
export function sceneOfNobody({ owner }: Scenes, kind: Kind): Scene {
  const nobody: Strangers = {
    advertiserId: 99_999_999,
    candidateId: 'nobody',
    clientId: 'nobody',
    agentId: 99_999_999,
    grantId: 'nobody',
    token: tokenOf({ candidateId: 'nobody', clientId: 'nobody', grantId: 'nobody' }, 'nobody'),
  }
  return sceneOfStranger({ owner, strangers: nobody }, kind)
}

function tokenOf(
  { candidateId, clientId, grantId }: Pick<ProfileToken, 'candidateId' | 'clientId' | 'grantId'>,
  tokenHash: string,
): ProfileToken {
  return { hash: tokenHash, clientId, candidateId, grantId, advertiserId: null, released: 63 }
}

const emptyScreen = '{"screen":{"@id":"1","@name":"Screen","@successful":"True","question":[]}}'

export const fullApplication: NewApplication = {
  ...plainDraft({ jobReference: 'HCR-7', primaryJobSeekingInfo: { isNewToWorkForce: true } }),
  files: [
    {
      type: 'resume',
      fileName: 'resume.pdf',
      contentType: 'application/pdf',
      blob: 'blob of the application',
      sha256: hash,
      size: 1,
      scan: 'unscanned',
      uploadedAt: at,
    },
  ],
  screen: { json: emptyScreen, xml: '<screen/>', sha256: hash, size: 9, details: null, successful: true },
}

/** As the form of the job board sends it. */
export function newSubmission(
  { advertiserId, jobAdId }: Pick<Scene, 'advertiserId' | 'jobAdId'>,
  formKey: string,
): Submission {
  const screen = { xml: '<screen/>', sha256: hash, size: 9, details: null, successful: true }
  return {
    formKey,
    resumeId: undefined,
    ad: { advertiserId, jobAdId, jobTitle: 'Baker', jobLocation: 'Newcastle', advertiserName: 'Owner' },
    application: {
      ...fullApplication,
      jobAdId,
      files: fullApplication.files.map(file => ({ ...file, type: 'coverLetter' })),
      screen: { ...screen, json: emptyScreen },
    },
  }
}

export const newAd: JobAdFields = {
  title: 'Baker',
  location: 'Newcastle',
  description: 'Bread.',
  reference: 'HCR-7',
  screenId: null,
  closingDate: '2099-12-24',
  details: { country: 'AU', workplace: 'remote', pay: { min: 1, currency: 'AUD', period: 'hour' } },
}

export const newQuestionnaire = {
  name: 'Screen',
  questions: [
    { id: '1', type: 'Text' as const, text: 'Why?', isRequired: true, options: [], passingTexts: [] },
  ],
}

export const newResume = (id: string) => ({
  id,
  fileName: 'resume.pdf',
  contentType: 'application/pdf',
  blob: `blob of ${id}`,
  sha256: hash,
  size: 1,
  scan: 'clean' as const,
  uploadedAt: at,
})

export const newDelivery = (id: string) => ({ id, kind: 'reset', content: '{}', giveUpAt: later })

export const newSession = (id: string) => ({
  hash: `hash of ${id}`,
  sessionId: id,
  ...inFirefox,
  browserKey: `browser:${id}`,
  createdAt: at,
  expiresAt: later,
})

/** The caller that may redeem it. */
export const holderOf = (clientId: string) => ({ clientId, secretHash: hash, redirectUri, challenge: '' })

export const newCode = (codeHash: string) => ({
  hash: codeHash,
  redirectUri,
  scope: scopes.profile,
  challenge: null,
  issuedAt: at,
  expiresAt: later,
})

export const newToken = (tokenHash: string) => ({ hash: tokenHash, issuedAt: at, expiresAt: later })

export const newDecision = (grantId: string) => ({
  grantId,
  scope: scopes.profile,
  released: 63,
  filled: 63,
  decidedAt: at,
})

export const prefillRequest = (advertiserId: number): PrefillRequest => ({
  advertiserId,
  applicationFormUrl: 'https://client.example/form',
  positionTitle: 'Barista',
  positionUri: null,
  positionReference: 'HCR-7',
  countryCode: 'AU',
  postalCode: null,
})

/** An owner that has one of everything, and strangers that have nothing but their name. */
export async function prepareScenes(stores: Stores): Promise<Scenes> {
  const owner = await prepareOwner(stores)
  const advertiser = await stores.advertisers.add({ name: 'Stranger', createdAt: at })
  const agent = await stores.agents.add({ name: 'Stranger', createdAt: at })
  if (advertiser === undefined || agent === undefined) throw new Error('the scene needs an empty database')
  await addAccount(stores, 'stranger')
  await addClient(stores, 'strange-client', agent.id)
  // The strange grant is another candidate's, so that the strange candidate has no data.
  await addAccount(stores, 'other')
  const grant = { candidateId: 'other', clientId: 'strange-client', grantId: 'strange-grant' }
  return {
    owner,
    strangers: {
      advertiserId: advertiser.id,
      candidateId: 'stranger',
      clientId: 'strange-client',
      agentId: agent.id,
      grantId: grant.grantId,
      token: await grantToken(stores, grant),
    },
  }
}

async function prepareOwner(stores: Stores): Promise<Scene> {
  const advertiser = await stores.advertisers.add({ name: 'Owner', createdAt: at })
  const agent = await stores.agents.add({ name: 'Owner', createdAt: at })
  if (advertiser === undefined || agent === undefined) throw new Error('the scene needs an empty database')
  const credential = { id: 'own-credential', hash, hint: 'h', label: 'l', createdAt: at, expiresAt: null }
  await stores.credentials.add(advertiser.id, credential)
  const period = { choice: 12, months: 12, next: null, changesAt: null }
  await stores.retention.update(advertiser.id, () => period, at)
  const { id: applicationId } = await stores.submissions.add(advertiser.id, fullApplication, at)
  await stores.agents.authorise(advertiser.id, agent.id, at)
  await addEndpoint(stores, 'own-endpoint', advertiser.id)
  await stores.usage.addCalls([{ advertiserId: advertiser.id, day: usageDay, calls: 1 }])
  await stores.usage.keepDays(advertiser.id, [{ day: usageDay, count: 1 }])

  const { id: screenId } = await stores.screens.add(advertiser.id, newQuestionnaire, at)
  const { id: jobAdId } = await stores.jobAds.add(advertiser.id, { ...newAd, screenId }, at)

  const { candidateId, email, passwordHash } = await addAccount(stores, 'owner')
  await stores.notices.recordRefusal(email, '550 no such mailbox', at)
  const link = { hash: 'own-link', purpose: 'confirm' as const, candidateId, email, expiresAt: later }
  await stores.accounts.addLink({ ...link, registration, browserMark: 'browser mark' })
  await stores.candidates.addResume(candidateId, newResume('own-resume'), 10)
  await stores.candidates.addResume(candidateId, newResume('own-second-resume'), 10)
  const formKey = 'own-form'
  const sent = await stores.ownApplications.send(
    candidateId,
    { ...newSubmission({ advertiserId: advertiser.id, jobAdId }, formKey), keepUntil: '2026-01-31' },
    at,
  )
  if (sent.kind !== 'sent') throw new Error('the owner could not apply')
  const draftId = 'own-draft'
  const draft = { id: draftId, version: 0, jobAdId, jobTitle: 'A job', advertiserName: 'A company' }
  await stores.drafts.save(
    candidateId,
    { ...draft, content: '{}', files: new Map(), removed: [] },
    { now: at, expiresAt: later, max: 9 },
  )
  const session = newSession('own-session')
  await stores.sessions.add(candidateId, passwordHash, session)
  await stores.sessions.add(candidateId, passwordHash, newSession('own-second-session'))

  const clientId = 'own-client'
  await addClient(stores, clientId, agent.id)
  await stores.clients.allow(clientId, advertiser.id)
  const sentApplicationId = await sendAsBoard(stores, clientId, advertiser.id)
  await stores.oauth.issueAgentToken(
    clientId,
    agent.id,
    advertiser.id,
    ['r_applications'],
    newToken('own-agent-token'),
  )
  const grantId = 'own-grant'
  const token = await grantToken(stores, { candidateId, clientId, grantId }, 'own-resume')
  await stores.oauth.issueCode(grantId, newCode('own-code'))
  const prefilled = await stores.sharing.recordPrefill(
    token,
    {
      id: 'own-prefilled',
      retryKey: 'own-retry-key',
      request: prefillRequest(advertiser.id),
      resume: { resumeId: 'own-resume', releasedId: 'own-released' },
      disclosure: { id: 'own-disclosure', filled: 31 },
    },
    at,
  )
  if (prefilled?.releasedResumeId !== 'own-released') throw new Error('the owner could not prefill')
  return {
    advertiserId: advertiser.id,
    applicationId,
    sentApplicationId,
    jobAdId,
    screenId,
    credentialId: credential.id,
    credentialHash: hash,
    agentId: agent.id,
    agentTokenHash: 'own-agent-token',
    endpointId: 'own-endpoint',
    candidateId,
    email,
    passwordHash,
    resumeId: 'own-resume',
    ownApplicationId: sent.applicationId,
    formKey,
    draftId,
    sessionId: session.sessionId,
    sessionHash: session.hash,
    clientId,
    grantId,
    token,
    codeHash: 'own-code',
    prefilledId: prefilled.id,
    releasedId: prefilled.releasedResumeId,
    links: {
      confirm: await addLink(stores, 'confirm'),
      'change-email': await addLink(stores, 'change-email'),
      reset: await addLink(stores, 'reset'),
    },
    ...(await addPeople(stores, advertiser.id, candidateId)),
    agentPeople: await addAgentPeople(stores, agent.id, [
      { candidateId, email },
      await addAccount(stores, 'of-agent'),
    ]),
    fresh: counter('of-owner'),
  }
}

/** The owner and a colleague are members; three others are invited. */
async function addPeople(stores: Stores, advertiserId: number, candidateId: string) {
  const invite = async (id: string, email: string) => {
    const invitation = newInvitation(id, email)
    await stores.members.invite(advertiserId, invitation, 99)
    return invitation.hash
  }
  await addAccount(stores, 'colleague')
  for (const member of [candidateId, 'colleague']) {
    const email = `${member}@example.com`
    await stores.members.join(await invite(`own-${member}`, email), { candidateId: member, email }, at)
  }
  await invite('own-invitation', 'invited@example.com')
  const invitationHashes: [string, string] = [
    await invite('own-first', 'first@example.com'),
    await invite('own-second', 'second@example.com'),
  ]
  return { colleagueId: 'colleague', invitationId: 'own-invitation', invitationHashes }
}

async function addAccount(stores: Stores, candidateId: string) {
  const account = {
    candidateId,
    email: `${candidateId}@example.com`,
    passwordHash: `password of ${candidateId}`,
  }
  const names = { firstName: 'Mary', lastName: 'Nguyen', profile: '{}', createdAt: at }
  await stores.accounts.add({ ...account, ...names })
  return account
}

const registration = { passwordHash: 'new', firstName: 'Mary', lastName: 'Nguyen' }

async function addLink(stores: Stores, purpose: keyof Scene['links']): Promise<string> {
  const { candidateId, email } = await addAccount(stores, `with-link-to-${purpose}`)
  const link = { hash: `link to ${purpose}`, purpose, candidateId, expiresAt: later }
  // The address that it moves to has an account, which is unconfirmed.
  const moved = purpose === 'change-email' ? await addAccount(stores, 'unconfirmed') : undefined
  const typed = purpose === 'confirm' ? { registration } : {}
  await stores.accounts.addLink({ ...link, email: moved?.email ?? email, ...typed })
  return link.hash
}

async function addClient(stores: Stores, id: string, agentId: number): Promise<void> {
  const client = { id, name: id, agentId, requirePkce: false, redirectUris: [redirectUri] }
  await stores.clients.add({ ...client, scopes: Object.values(scopes) }, hash, at)
}

type GrantIds = Pick<ProfileToken, 'candidateId' | 'clientId' | 'grantId'>

async function grantToken(stores: Stores, grant: GrantIds, resumeId?: string): Promise<ProfileToken> {
  const [codeHash, tokenHash] = [`code of ${grant.grantId}`, `token of ${grant.grantId}`]
  const decision = { ...newDecision(grant.grantId), resumeId: resumeId ?? null }
  await stores.oauth.recordConsent({ ...grant, advertiserId: null }, decision, newCode(codeHash))
  if (!(await stores.oauth.redeem(codeHash, holderOf(grant.clientId), newToken(tokenHash), 3)))
    throw new Error('the code is not redeemed')
  return tokenOf(grant, tokenHash)
}
