import type { Notice } from '../../model/notice.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { ClaimedDelivery, DeliveryHandler, DeliveryOutcome } from '../../platform/work/delivery-ports.ts'
import type { EmailMessage } from './email-message.ts'
import type { NoticeStore } from './notice-store.ts'
import { type NoticeFrame, noticeEmails } from './notice-texts.ts'
import type { NoticeReader, NoticeSubjects } from './ports.ts'
import type { Extras, Post } from './post-service.ts'

const most = 10

/** Release 0.1.0 queues an email for each withdrawal. */
const formerKind = 'candidate-withdrew'

/** Sends the emails about events of an application or of a candidate's data. */
export function createNoticeHandlers(deps: {
  store: NoticeStore
  post: Post
  frame(): NoticeFrame
  /** Headers and footer for a notification; undefined if this person has switched it off. */
  extrasOf(notice: Notice, reader: NoticeReader): Promise<Extras | undefined>
}): Record<Notice['kind'] | typeof formerKind, DeliveryHandler> {
  const { store } = deps

  const findSent = ({ candidateId, applicationId }: { candidateId: string; applicationId: number }) =>
    store.findSent(candidateId, applicationId)

  const finders: {
    [Kind in Notice['kind']]: (
      notice: Extract<Notice, { kind: Kind }>,
      queuedAt: EpochMs,
    ) => Promise<NoticeSubjects[Kind] | undefined>
  } = {
    async 'application-sent'(notice) {
      const sent = await findSent(notice)
      return sent?.isErased ? undefined : sent
    },
    async 'status-changed'(notice) {
      const sent = await findSent(notice)
      // Changed again while the email waited: retries could report the changes in the wrong order.
      return sent?.isErased || sent?.status !== notice.status ? undefined : sent
    },
    'application-withdrawn': findSent,
    async 'keep-ending'(notice) {
      const sent = await findSent(notice)
      // Withdrawn or erased while the email waited.
      return sent === undefined || sent.keptUntil === null
        ? undefined
        : { ...sent, keptUntil: sent.keptUntil }
    },
    'first-disclosure': notice => store.findDisclosure(notice.candidateId, notice),
    'new-applications': (notice, queuedAt) => store.findNew(notice.advertiserId, notice, { queuedAt, most }),
    'retention-shortened': notice => store.findRetention(notice.advertiserId, notice.candidateId),
    'webhook-failing': notice =>
      'agentId' in notice
        ? store.findFailingAgentWebhook(notice.agentId, notice)
        : store.findFailingWebhook(notice.advertiserId, notice),
  }

  async function write<Kind extends Notice['kind']>(
    kind: Kind,
    notice: Extract<Notice, { kind: Kind }>,
    queuedAt: EpochMs,
  ): Promise<EmailMessage | undefined> {
    const subject = await finders[kind](notice, queuedAt)
    return subject && noticeEmails[kind](subject, notice, deps.frame())
  }

  async function deliver({ id, kind, content, createdAt }: ClaimedDelivery): Promise<DeliveryOutcome> {
    const notice = noticeOf(kind, content)
    const reader = await store.findReader(notice.candidateId)
    // Only to an address whose owner has confirmed it, and that the mail server accepts.
    if (!reader?.isConfirmed || reader.isRefused) return { outcome: 'dropped' }
    const extras = await deps.extrasOf(notice, reader)
    const message = extras && (await write(notice.kind, notice, createdAt))
    return message === undefined ? { outcome: 'dropped' } : deps.post.send(id, reader.email, message, extras)
  }

  const handler: DeliveryHandler = { deliver }
  return {
    'application-sent': handler,
    'status-changed': handler,
    'application-withdrawn': handler,
    'keep-ending': handler,
    'first-disclosure': handler,
    'new-applications': handler,
    [formerKind]: handler,
    'retention-shortened': handler,
    'webhook-failing': handler,
  }
}

function noticeOf(kind: string, content: string): Notice {
  const notice = JSON.parse(content)
  if (kind !== formerKind) return { ...notice, kind }
  const { candidateId, advertiserId, applicationId } = notice
  const withdrawn = { withdrawnIds: [applicationId], withdrawals: 1 }
  return { kind: 'new-applications', candidateId, advertiserId, firstId: 1, lastId: 0, ...withdrawn }
}
