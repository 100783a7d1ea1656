import type { Clock } from '../../platform/core/clock.ts'
import type { DeliveryHandler } from '../../platform/work/delivery-ports.ts'
import type { AccountMails } from '../account/account-mail.ts'
import type { AccountStore } from '../account/account-store.ts'
import type { SecretKeys } from '../factors/secret-rules.ts'
import { accountEmails } from '../mail/account-texts.ts'
import type { Post } from '../mail/post-service.ts'
import type { CodeStore } from './code-store.ts'
import { codeMac, codeSeconds, newCode } from './rules.ts'

/**
 * Sends codes. Each attempt generates a code, which replaces the previous attempt's; a code is stored for every address
 * alike.
 */
export function createCodeHandler(deps: {
  codes: Pick<CodeStore, 'setCode'>
  accounts: Pick<AccountStore, 'findByEmail' | 'hasWorkplace'>
  keys(): SecretKeys | undefined
  post: Post
  board: string
  authUrl(): string
  clock: Clock
}): DeliveryHandler {
  const { codes, accounts, post, board } = deps
  return {
    isPersonal: true,
    async deliver({ id, content }) {
      const { email, challenge } = JSON.parse(content) as AccountMails['sign-in-code']
      const keys = deps.keys()
      if (keys === undefined)
        return { outcome: 'retry', words: 'SECRETS_KEY is missing on this node', isUnavailable: false }
      const account = await accounts.findByEmail(email)
      const isAtWork = await accounts.hasWorkplace(account?.candidateId ?? '')
      const code = newCode()
      if (
        !(await codes.setCode(challenge, codeMac(keys, challenge, isAtWork ? newCode() : code), deps.clock()))
      )
        return { outcome: 'dropped' }
      if (isAtWork)
        return post.send(id, email, accountEmails['no-code']({ url: `${deps.authUrl()}/sign-in` }, board))
      const message = accountEmails['sign-in-code']({ code, minutes: codeSeconds / 60 }, board)
      // An unconfirmed account may hold details that a stranger typed.
      const isThere = account !== undefined && account.emailConfirmedAt !== null
      return isThere ? post.send(id, email, message) : post.pretend(id, email, message)
    },
  }
}
