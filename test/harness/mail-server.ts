import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

export interface ReceivedEmail {
  from: string
  to: string[]
  text: string
}

/** Faults by the domain of the recipient: `@550.example` and so on. */
type Fault =
  | 'refused'
  | '550'
  | '451'
  | '552'
  | '557'
  | '517'
  | '518'
  | 'relay'
  | '554'
  | '452'
  | 'cut'
  | 'hang'

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

const withCode = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })

/** At RCPT, quoting the address as real servers do. */
const atRecipient: Partial<Record<Fault, (address: string) => Error>> = {
  refused: address => new Error(`no mailbox ${address}`),
  '550': address => withCode(550, `5.1.1 <${address}>: user unknown`),
  '451': () => withCode(451, '4.7.1 Greylisted, try again later'),
  '552': () => withCode(552, '5.2.2 Mailbox full'),
  '557': () => withCode(554, '5.7.1 Relay access denied'),
  // Many servers check the sender only with the recipient.
  '517': () => withCode(553, '5.1.7 <jobs@quay.example>: Bad sender address syntax'),
  '518': () => withCode(550, '5.1.8 <jobs@quay.example>: Sender address rejected: Domain not found'),
  relay: () => withCode(550, 'relay not permitted'),
}

/** A real mail server that keeps what it receives, and fails as the domain of the recipient says. */
export async function startMailServer() {
  const delivered: ReceivedEmail[] = []
  const arrivals: ((mail: ReceivedEmail) => void)[] = []
  /** Everything that the server has read to its end, even if it did not say so. */
  const everything: ReceivedEmail[] = []
  const faultOf = (address: string) => (/@(\w+)\.example$/.exec(address)?.[1] ?? '') as Fault
  const connectionOf = (session: SMTPServerSession) =>
    [...server.connections].find(each => each.session.id === session.id)
  const server: SMTPServer & {
    connections: Set<{ session: SMTPServerSession; _socket: { destroy(): void } }>
  } = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 50,
    onRcptTo({ address }, _session, callback) {
      callback(atRecipient[faultOf(address)]?.(address) ?? null)
    },
    async onData(stream, session, callback) {
      const { mailFrom, rcptTo } = session.envelope
      const to = rcptTo.map(({ address }) => address)

      // A client that is killed leaves half an email, which no server delivers.
      const content = await text(stream).catch(() => undefined)
      if (content === undefined) return
      const mail = { from: mailFrom === false ? '' : mailFrom.address, to, text: content }
      everything.push(mail)
      const fault = faultOf(to[0] ?? '')
      if (fault === 'hang') return
      if (fault === 'cut') return connectionOf(session)?._socket.destroy()
      if (fault === '554') return callback(withCode(554, '5.6.0 Looks like spam: https://spam.example/why'))
      if (fault === '452') return callback(withCode(452, '4.3.1 No space'))
      callback()
      const waiting = arrivals.shift()
      if (waiting === undefined) delivered.push(mail)
      else waiting(mail)
    },
  }) as typeof server
  // Clients are killed and cut off in the middle.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as { port: number }
  return {
    url: `smtp://127.0.0.1:${port}`,
    everything,
    next: () =>
      new Promise<ReceivedEmail>(resolve => {
        const mail = delivered.shift()
        if (mail === undefined) arrivals.push(resolve)
        else resolve(mail)
      }),
    stop: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}
