/**
 * An example request for each operation that works against the demo. The reference prints it as curl and fills forms
 * with it. A test checks each against the document and sends it.
 */
export interface RequestExample {
  /** Path, query and header parameters by name. */
  parameters?: Record<string, string>
  json?: unknown
  form?: Record<string, string>
  /** Multipart: a JSON part, and files by name. */
  parts?: { application: unknown; files: Record<string, string> }
}

const harbour = '10000001'
const firstApplication = { parameters: { jobApplicationId: '1' } }
const ofHarbour = { parameters: { advertiserId: harbour, limit: '2' } }
const firstAd = { parameters: { advertiserId: harbour, id: '31' } }
const firstScreen = { parameters: { advertiserId: harbour, id: '501' } }
/** Placeholders for values that the reader gets from an earlier call of the flow. */
const placeholder = '00000000-0000-4000-8000-000000000000'

const jobAd = {
  advertiserId: 10000001,
  title: 'Night baker',
  location: 'Newcastle NSW',
  description: 'Croissants before sunrise.\n\nWe teach lamination.',
  reference: 'HCR-40',
  screenId: null,
  closingDate: null,
}
const screen = {
  advertiserId: 10000001,
  name: 'Night baker',
  questions: [
    { type: 'True/False', text: 'I can start at three in the morning.', isRequired: true },
    {
      type: 'MultipleChoiceOneAnswer',
      text: 'How long have you baked?',
      options: [{ text: 'Less than a year' }, { text: 'A year or more', passes: true }],
    },
  ],
}

/** Northwind's endpoint in the demo. */
const firstWebhook = { parameters: { webhookId: '5d0c6f0a-3b6e-4c8e-9a51-7e2f4b1d8c90' } }

export const requestExamples: Record<string, RequestExample> = {
  problem: { parameters: { code: 'rate-limited' } },
  authorize: {
    parameters: {
      client_id: 'demo-ats',
      redirect_uri: 'http://127.0.0.1:9090/callback',
      response_type: 'code',
      scope: 'r_profile_apply',
      state: 'something-only-you-know',
      advertiser_id: harbour,
    },
  },
  token: { form: { grant_type: 'client_credentials', scope: 'w_applications' } },
  revoke: { form: { token: 'dat_a-token-to-end' } },
  prefill: {
    json: {
      advertiserId: harbour,
      applicationFormUrl: 'https://careers.example.com/apply/7',
      positionTitle: 'Head barista',
    },
  },
  'resume-v2': { parameters: { resumeId: placeholder } },
  complete: {
    parameters: { applicationId: placeholder },
    json: { completionDate: '2026-11-14T00:00:00Z' },
  },
  reportPrefillProgress: {
    json: {
      entries: [{ prefilledApplicationId: placeholder, state: 'interview', at: '2026-11-14T00:00:00Z' }],
    },
  },
  reportProgress: {
    json: {
      entries: [
        { applicationId: 5, state: 'inReview', at: '2026-11-12T00:00:00Z', label: 'Phone screen' },
        { applicationId: 5, state: 'interview', at: '2026-11-13T00:00:00Z', label: 'On site', tell: false },
      ],
    },
  },
  listApplications: { parameters: { afterid: '0', limit: '2' } },
  readApplication: { parameters: { jobApplicationId: '1', include: 'primaryjobseekinginfo' } },
  readAnswers: { parameters: { jobApplicationId: '1' } },
  answerFile: { parameters: { jobApplicationId: '1', number: '3' } },
  followEvents: { parameters: { cursor: 'start', limit: '2' } },
  listWebhooks: {},
  createWebhook: {
    json: { url: 'https://ats.example.com/hooks', types: ['application.created', 'application.erased'] },
  },
  readWebhook: firstWebhook,
  changeWebhook: { ...firstWebhook, json: { description: 'Authorisations' } },
  removeWebhook: firstWebhook,
  testWebhook: firstWebhook,
  rotateWebhook: { ...firstWebhook, json: { overlapHours: 24 } },
  retireWebhookKey: firstWebhook,
  resendWebhooks: firstWebhook,
  pauseWebhook: firstWebhook,
  replayWebhook: {
    ...firstWebhook,
    json: { advertiserId: 10000001, from: '2026-11-01T00:00:00Z', types: ['application.created'] },
  },
  cancelReplay: { parameters: { ...firstWebhook.parameters, replayId: placeholder } },
  resumeWebhook: firstWebhook,
  resume: firstApplication,
  coverLetter: firstApplication,
  selectionCriteria: firstApplication,
  screen: firstApplication,
  resumeByHref: firstApplication,
  coverLetterByHref: firstApplication,
  selectionCriteriaByHref: firstApplication,
  screenByHref: firstApplication,
  'intake-application': {
    parameters: { 'Idempotency-Key': 'user-4711-on-ad-32' },
    parts: {
      application: {
        advertiserId: 10000001,
        jobAdId: 32,
        jobSeekerId: 'user-4711',
        contact: { email: 'casey@example.com', firstName: 'Casey', lastName: 'Lim' },
      },
      files: { resume: 'resume.pdf' },
    },
  },
  // The first application sent to a fresh demo.
  'read-intake-application': { parameters: { id: '21' } },
  createJobAd: { json: jobAd },
  listJobAds: ofHarbour,
  readJobAd: firstAd,
  replaceJobAd: { parameters: { id: '33' }, json: jobAd },
  closeJobAd: firstAd,
  openJobAd: firstAd,
  createScreen: { json: screen },
  listScreens: ofHarbour,
  readScreen: firstScreen,
  replaceScreen: {
    parameters: { id: '503' },
    json: {
      ...screen,
      questions: screen.questions.map((question, index) => ({ id: `q${index + 1}`, ...question })),
    },
  },
  closeScreen: firstScreen,
  openScreen: firstScreen,
}

/** Demo credentials by security scheme. Other schemes need a token that the reader must get first. */
export const demoCredentials: Record<string, Record<string, string>> = {
  sws: { credential: 'sws_demo_harbour' },
  client: { id: 'demo-board', secret: 'demo-board-secret' },
}

/** The demo's client for tokens of an agent. */
export const demoAgent = { id: 'demo-ats', secret: 'demo-ats-secret' }
