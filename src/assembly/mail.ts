import type { Config } from '../config.ts'
import { within } from '../core/async/within.ts'
import { lazily } from '../core/lazily.ts'
import { hashSecret } from '../core/secrets.ts'
import { createAccountCouriers } from '../people/account/mail-service.ts'
import type { Letter } from '../people/mail/letter.ts'
import { renderLetter, type Sender } from '../people/mail/letter-markup.ts'
import { createNoticeCouriers } from '../people/mail/notice-service.ts'
import type { Mailer, MailTransport } from '../people/mail/ports.ts'
import { createPost, type Extras } from '../people/mail/post-service.ts'
import { createInvitationCourier } from '../people/members/invitation-mail-service.ts'
import { createNoticeStore } from '../storage/people/notice-store.ts'
import { createDeliveryStore } from '../storage/upkeep/delivery-store.ts'
import { onQueued } from '../storage/writing/queue-notice.ts'
import { createDeliveries, type DeliveryReport } from '../work/delivery-service.ts'
import type { AccountModule } from './accounts.ts'
import type { DemoModule } from './demo.ts'
import type { Platform } from './platform.ts'

export type MailModule = ReturnType<typeof openMail>

/** Where emails leave this process, and the address of the pages that they link to. */
export interface Outlet {
  transport: MailTransport | undefined
  authUrl(): string
}

/** Emails from the outbox to the mail server. */
export function openMail(
  { config, database, background, clock, limits, log }: Platform,
  {
    accountStore,
    memberStore,
    agentMemberStore,
    notifications,
  }: Pick<AccountModule, 'accountStore' | 'memberStore' | 'agentMemberStore' | 'notifications'>,
  { outbox }: Pick<DemoModule, 'outbox'>,
) {
  // As the service derives it; a port that the service chooses itself is unknown here.
  const configured = () => config.AUTH_URL ?? config.BASE_URL ?? `http://localhost:${config.PORT}`
  let outlet: Outlet = { transport: smtpOf(config, configured), authUrl: configured }
  const authUrl = () => outlet.authUrl()
  const sender: Sender = {
    name: config.BOARD_NAME,
    contactUrl: config.BOARD_CONTACT,
    colours: config.BOARD_COLOUR,
  }
  const render = (letter: Letter, reason?: Extras['reason']) => renderLetter(letter, sender, reason)
  const noticeStore = createNoticeStore(database)
  const post = createPost({ transport: () => outlet.transport, render, store: noticeStore, clock })
  const dates = datesIn(config.TIME_ZONE)
  const common = { post, board: config.BOARD_NAME, authUrl, clock, limits }
  const deliveryStore = createDeliveryStore(database)
  const deliveries = createDeliveries({
    store: deliveryStore,
    couriers: {
      ...createAccountCouriers({
        ...common,
        accounts: accountStore,
        time: dates.time,
        mayMail: async (email, kind) => {
          const hour = Math.floor(clock() / 3_600_000)
          return (await accountStore.countMail(hashSecret(`${kind} ${email}`), hour)) <= limits.mailsPerHour
        },
      }),
      invitation: createInvitationCourier({ ...common, store: memberStore, agentStore: agentMemberStore }),
      ...createNoticeCouriers({
        ...{ store: noticeStore, post },
        frame: () => ({ board: config.BOARD_NAME, origin: authUrl(), ...dates }),
        extrasOf: (notice, reader) => notifications.extrasOf(notice, reader, authUrl()),
      }),
    },
    isOn: () => outlet.transport !== undefined,
    ...{ background, clock, limits, log },
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
      await within(limits.mailConnectMs, attempted)
      return report
    },
  }

  return {
    deliveries,
    noticeStore,
    post,
    /** Called by the service when it knows its address; the demo keeps its emails. */
    openOutlet({ isDemo, authUrl }: { isDemo: boolean; authUrl(): string }): void {
      outlet = { transport: isDemo ? outbox.transport : smtpOf(config, authUrl), authUrl }
    },
    /** For tests. */
    useOutlet(other: Outlet): void {
      outlet = other
    },
    mailTransport: () => outlet.transport,
    /** Undefined without a mail server: everything that needs email is then switched off and says so. */
    mailer: (): Mailer | undefined => (outlet.transport === undefined ? undefined : mailer),
    /** For tests that work the outbox off themselves. */
    stopWaking: stopListening,
    closeMail(): void {
      stopListening()
      deliveries.stop()
    },
  }
}

function datesIn(timeZone: string) {
  const day = lazily(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }))
  const time = lazily(
    () =>
      new Intl.DateTimeFormat('en-GB', {
        ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
        timeZoneName: 'short',
        timeZone,
      }),
  )
  return { day: (at: number) => day().format(at), time: (at: number) => time().format(at) }
}

function smtpOf(config: Config, authUrl: () => string): MailTransport | undefined {
  const { SMTP_URL: url, MAIL_FROM, BOARD_NAME, limits } = config
  if (url === undefined) return undefined
  // Loaded with the first email, when our own address is known too.
  const load = async () => {
    const { createSmtpMailer } = await import('../people/mail/smtp-adapter.ts')
    const address = MAIL_FROM ?? `no-reply@${new URL(authUrl()).hostname}`
    const from = address.includes('<') ? address : { name: BOARD_NAME, address }
    const [, host = 'localhost'] = /@([^\s<>@]+)>?$/.exec(address) ?? []
    return createSmtpMailer({
      url,
      from,
      host,
      connectMs: limits.mailConnectMs,
      answerMs: limits.mailAnswerMs,
    })
  }
  let smtp: Promise<MailTransport> | undefined
  const loaded = () => {
    smtp ??= load()
    return smtp
  }
  return {
    send: async mail => (await loaded()).send(mail),
    check: async () => (await loaded()).check(),
  }
}
