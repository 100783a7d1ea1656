import { createReportStore } from '../jobs/reports/report-store.ts'
import { createAccountHandlers } from '../people/account/mail-service.ts'
import { createCodeHandler } from '../people/codes/mail-service.ts'
import type { EmailMessage } from '../people/mail/email-message.ts'
import { reasonInWords, renderEmailMessage, type Sender } from '../people/mail/email-message-markup.ts'
import { createNoticeHandlers } from '../people/mail/notice-service.ts'
import { createNoticeStore } from '../people/mail/notice-store.ts'
import type { Mailer, MailTransport } from '../people/mail/ports.ts'
import { createPost, type Extras } from '../people/mail/post-service.ts'
import { createReportHandlers } from '../people/mail/report-mail-service.ts'
import { createInvitationHandler } from '../people/members/invitation-mail-service.ts'
import { withTimeout } from '../platform/core/async/with-timeout.ts'
import { dateText } from '../platform/core/locale.ts'
import { createDeliveries, type DeliveryReport } from '../platform/work/delivery-service.ts'
import { createDeliveryStore } from '../platform/work/delivery-store.ts'
import { onQueued } from '../platform/work/queue-deliveries-store.ts'
import type { Config } from '../settings.ts'
import type { AccountModule } from './accounts.ts'
import type { DemoModule } from './demo.ts'
import type { Platform } from './platform.ts'

/** Limit: How long to wait for the mail server. */
const mailConnectMs = 10_000
/** Limit: How long to wait for the response to an email: some servers scan it first. */
const mailAnswerMs = 60_000

export type MailModule = ReturnType<typeof openMail>

/** How emails leave this process, and the base address of the pages that they link to. */
export interface Outlet {
  transport: MailTransport | undefined
  authUrl(): string
}

/** Sends emails from the outbox to the mail server. */
export function openMail(
  { config, database, processLock, background, mayMail, clock, lookAtTime, limits, log }: Platform,
  {
    accountStore,
    undoStore,
    memberStore,
    agentMemberStore,
    notifications,
    codeStore,
    makeSecretKeys,
  }: Pick<
    AccountModule,
    | 'accountStore'
    | 'undoStore'
    | 'memberStore'
    | 'agentMemberStore'
    | 'notifications'
    | 'codeStore'
    | 'makeSecretKeys'
  >,
  { outbox }: Pick<DemoModule, 'outbox'>,
) {
  // Derived as in the service; a port that the service chooses itself is unknown here.
  const configured = () => config.AUTH_URL ?? config.BASE_URL ?? `http://localhost:${config.PORT}`
  let outlet: Outlet = { transport: smtpOf(config, configured), authUrl: configured }
  const authUrl = () => outlet.authUrl()
  const sender: Sender = {
    name: config.BOARD_NAME,
    contactUrl: config.BOARD_CONTACT,
    colours: config.BOARD_COLOUR,
  }
  const render = (message: EmailMessage, reason?: Extras['reason']) =>
    renderEmailMessage(message, sender, reason && reasonInWords(reason))
  const noticeStore = createNoticeStore(database)
  const post = createPost({
    transport: () => outlet.transport,
    whenDurable: async () => database.whenDurable?.(),
    render,
    store: noticeStore,
    clock,
  })
  const dates = datesIn(config.TIME_ZONE)
  const common = { post, board: config.BOARD_NAME, authUrl, clock, limits }
  const deliveryStore = createDeliveryStore(database, processLock.id)
  const deliveries = createDeliveries({
    store: deliveryStore,
    handlers: {
      ...createAccountHandlers({
        ...common,
        accounts: accountStore,
        changes: undoStore,
        time: dates.time,
        mayMail,
      }),
      'sign-in-code': createCodeHandler({
        ...common,
        accounts: accountStore,
        codes: codeStore,
        keys: makeSecretKeys,
      }),
      ...createReportHandlers({ ...common, reports: createReportStore(database), mayMail }),
      invitation: createInvitationHandler({ ...common, store: memberStore, agentStore: agentMemberStore }),
      ...createNoticeHandlers({
        store: noticeStore,
        post,
        frame: () => ({ board: config.BOARD_NAME, origin: authUrl(), ...dates }),
        extrasOf: (notice, reader) => notifications.extrasOf(notice, reader, authUrl()),
      }),
    },
    isOn: () => outlet.transport !== undefined,
    background,
    clock,
    lookAtTime,
    log,
  })
  const stopListening = onQueued(deliveries.wake)

  const mailer: Mailer = {
    check: async () => outlet.transport?.check(),
    async queue(mails) {
      await deliveryStore.add(mails, clock())
      mailer.attempt(mails)
    },
    attempt(mails) {
      for (const { id } of mails) background.run(deliveries.deliver(id), 'an email was not sent yet')
    },
    async outcomeOf({ id }) {
      let report: DeliveryReport = 'waiting'
      const attempted = deliveries.deliver(id).then(result => {
        report = result
      })
      background.run(attempted, 'an email was not sent yet')
      await withTimeout(mailConnectMs, attempted)
      return report
    },
  }

  return {
    deliveries,
    noticeStore,
    post,
    /** Called by the service when it knows its address; the demo keeps its emails instead of sending them. */
    openOutlet({ isDemo, authUrl }: { isDemo: boolean; authUrl(): string }): void {
      outlet = { transport: isDemo ? outbox.transport : smtpOf(config, authUrl), authUrl }
    },
    /** For tests. */
    useOutlet(other: Outlet): void {
      outlet = other
    },
    mailTransport: () => outlet.transport,
    /** Undefined without a mail server: all features that need email are then switched off and say so. */
    mailer: (): Mailer | undefined => (outlet.transport === undefined ? undefined : mailer),
    /** For tests that process the outbox themselves. */
    stopWaking: stopListening,
    closeMail(): void {
      stopListening()
      deliveries.stop()
    },
  }
}

function datesIn(timeZone: string) {
  const time = { day: 'numeric', month: 'long', year: 'numeric', hour: 'numeric', minute: '2-digit' } as const
  return {
    day: (at: number) => dateText(at, { dateStyle: 'long', timeZone }),
    time: (at: number) => dateText(at, { ...time, timeZoneName: 'short', timeZone }),
  }
}

function smtpOf(config: Config, authUrl: () => string): MailTransport | undefined {
  const { SMTP_URL: url, MAIL_FROM, BOARD_NAME } = config
  if (url === undefined) return undefined
  // Loaded with the first email, when our own address is also known.
  const load = async () => {
    const { createSmtpMailer } = await import('../people/mail/smtp-adapter.ts')
    const address = MAIL_FROM ?? `no-reply@${new URL(authUrl()).hostname}`
    const from = address.includes('<') ? address : { name: BOARD_NAME, address }
    const [, host = 'localhost'] = /@([^\s<>@]+)>?$/.exec(address) ?? []
    return createSmtpMailer({
      url,
      from,
      host,
      connectMs: mailConnectMs,
      answerMs: mailAnswerMs,
    })
  }
  let smtp: Promise<MailTransport> | undefined
  const loaded = () => {
    smtp ??= load()
    return smtp
  }
  return {
    send: async mail => (await loaded()).send(mail),
    rehearse: async mail => (await loaded()).rehearse?.(mail),
    check: async () => (await loaded()).check(),
  }
}
