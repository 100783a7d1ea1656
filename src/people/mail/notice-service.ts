import type { EpochMs } from '../../core/clock.ts'
import type { Notice } from '../../model/notice.ts'
import type { ClaimedDelivery, Courier, DeliveryOutcome } from '../../work/delivery-ports.ts'
import type { Letter } from './letter.ts'
import { type NoticeFrame, noticeLetters } from './notice-texts.ts'
import type { NoticeReader, NoticeStore, NoticeSubjects } from './ports.ts'
import type { Extras, Post } from './post-service.ts'

const most = 10

/** Sends the emails about what happened to an application or to a candidate's data. */
export function createNoticeCouriers(deps: {
  store: NoticeStore
  post: Post
  frame(): NoticeFrame
  /** Headers and footer for a notification; undefined if this person has switched it off. */
  extrasOf(notice: Notice, reader: NoticeReader): Promise<Extras | undefined>
}): Record<Notice['kind'], Courier> {
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
      // Changed again while the email waited: retries would tell of it in the wrong order.
      return sent?.isErased || sent?.status !== notice.status ? undefined : sent
    },
    'application-withdrawn': findSent,
    'first-disclosure': notice => store.findDisclosure(notice.candidateId, notice),
    'new-applications': (notice, queuedAt) => store.findNew(notice.advertiserId, notice, { queuedAt, most }),
    'candidate-withdrew': notice => store.findWithdrawn(notice.advertiserId, notice),
    'retention-shortened': notice => store.findRetention(notice.advertiserId, notice.candidateId),
    'webhook-failing': notice => store.findFailingWebhook(notice.advertiserId, notice),
  }

  async function write<Kind extends Notice['kind']>(
    kind: Kind,
    notice: Extract<Notice, { kind: Kind }>,
    queuedAt: EpochMs,
  ): Promise<Letter | undefined> {
    const subject = await finders[kind](notice, queuedAt)
    return subject && noticeLetters[kind](subject, notice, deps.frame())
  }

  async function deliver({ id, kind, content, createdAt }: ClaimedDelivery): Promise<DeliveryOutcome> {
    const notice = { ...JSON.parse(content), kind } as Notice
    const reader = await store.findReader(notice.candidateId)
    // Only to an address whose owner has confirmed it, and that the mail server accepts.
    if (!reader?.isConfirmed || reader.isRefused) return { outcome: 'dropped' }
    const extras = await deps.extrasOf(notice, reader)
    const letter = extras && (await write(notice.kind, notice, createdAt))
    return letter === undefined ? { outcome: 'dropped' } : deps.post.send(id, reader.email, letter, extras)
  }

  const courier: Courier = { deliver }
  return {
    'application-sent': courier,
    'status-changed': courier,
    'application-withdrawn': courier,
    'first-disclosure': courier,
    'new-applications': courier,
    'candidate-withdrew': courier,
    'retention-shortened': courier,
    'webhook-failing': courier,
  }
}
