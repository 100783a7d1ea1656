import { createTransport } from 'nodemailer'
import { serverWords } from '../../platform/core/email.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import type { Mail, MailTransport, SendResult } from './ports.ts'

export interface SmtpOptions {
  /** `smtp:` upgrades to TLS if the server offers it; `smtps:` starts with TLS. */
  url: string
  from: { name: string; address: string } | string
  /** Host in our Message-IDs. */
  host: string
  connectMs: number
  /** A server may scan an email before it answers. */
  answerMs: number
}

export function createSmtpMailer({ url, from, host, connectMs, answerMs }: SmtpOptions): MailTransport {
  const common = {
    url,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    // The content of an email must never make the process read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  // Prevents automatic replies such as holiday notices (RFC 3834).
  const defaults = { from, headers: { 'Auto-Submitted': 'auto-generated' } }
  const transport = createTransport({ ...common, socketTimeout: answerMs }, defaults)
  const composing = createTransport({ ...common, url: '', streamTransport: true, buffer: true }, defaults)
  const messageOf = ({ id, to, subject, text, html, headers = {} }: Mail) => ({
    messageId: `<${id}@${host}>`,
    // An object, so that the address is never parsed as a list or as a name with another address.
    to: { name: '', address: to },
    subject: literalSubject(subject),
    text,
    html,
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
  })
  // A person waits for the result of `check`.
  const checking = createTransport({ ...common, socketTimeout: connectMs })
  return {
    async check() {
      await checking.verify()
    },
    async rehearse(mail) {
      await composing.sendMail(messageOf(mail))
      await checking.verify()
    },
    async send(mail) {
      try {
        await transport.sendMail(messageOf(mail))
        return { outcome: 'sent' }
      } catch (error) {
        return outcomeOf(error as SmtpError, mail.to)
      }
    },
  }
}

/**
 * A job title such as `=?utf-8?B?…?=` would be shown decoded, as another subject. If it is itself encoded, it is shown
 * unchanged (RFC 2047). Ten characters have at most 40 bytes, which fit into the 75 characters of an encoded word.
 */
function literalSubject(subject: string): string {
  if (!subject.includes('=?')) return subject
  const pieces = subject.replaceAll(/\s+/g, ' ').match(/.{1,10}/gsu) ?? []
  return pieces.map(piece => `=?UTF-8?B?${Buffer.from(piece).toString('base64')}?=`).join(' ')
}

interface SmtpError extends Error {
  code?: string
  /** Status code of the server's answer. */
  responseCode?: number
  response?: string
  /** The command that failed, such as `RCPT TO`. */
  command?: string
}

/**
 * Only a permanent reply about the recipient or the content ends a delivery. An earlier 5xx is about us, such as a
 * wrong password or a sender that is not allowed: the operator can fix it, and the emails are sent afterwards.
 */
function outcomeOf(error: SmtpError, to: string): SendResult {
  const { code, command, response = '', responseCode = 0 } = error
  const words = serverWords(response || reasonOf(error), to)
  if (code === 'EENVELOPE' && command === 'API' && error.message.startsWith('Invalid recipient'))
    return { outcome: 'refused', words }
  const isAnswer = command === 'RCPT TO' || command === 'DATA'
  if (!isAnswer || responseCode < 400 || responseCode === 530) {
    return { outcome: 'retry', words, isUnavailable: true }
  }
  // A full mailbox may have room again: RFC 3463, and some servers use 552 for it.
  const isFull = responseCode === 552 || /\b5\.2\.2\b/.test(response)
  // Many servers check the sender only with the recipient. RFC 3463: 5.1.7 and 5.1.8 are about the sender's address.
  const isAboutSender = command === 'RCPT TO' && /\b5\.1\.[78]\b|^\d+ relay/i.test(response)
  if (responseCode < 500 || isFull || isAboutSender) return { outcome: 'retry', words, isUnavailable: false }
  // 5.7 is a policy, often about the sender, and no objection to the address.
  const isAboutAddress = command === 'RCPT TO' && !/\b5\.7\.\d/.test(response)
  return { outcome: isAboutAddress ? 'refused' : 'dead', words }
}
