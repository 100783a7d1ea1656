import type { MissingKeys } from './ports.ts'

const endpointsOf = (count: number) => (count === 1 ? '1 webhook endpoint' : `${count} webhook endpoints`)
const appsOf = (count: number) => (count === 1 ? '1 authenticator app' : `${count} authenticator apps`)

export const newSecretsAdvice =
  'their owners make new secrets for their receivers in the console or by API, and resume them'
export const newAppsAdvice =
  'their owners sign in with a recovery code, or reset their password by a link in an email, which removes the app; without email, run "dossier person reset-factor"'

/** After a restore, before the first start: says what to do about keys that this machine does not have. */
export function describeMissing({ webhookKey, endpoints, apps }: MissingKeys): string[] {
  return [
    ...(webhookKey === undefined || endpoints === 0
      ? []
      : [
          `The key of ${endpointsOf(endpoints)} is not here: put webhook.key into DATA_DIR, or set WEBHOOK_KEY, before the first start. Otherwise the start pauses them, and ${newSecretsAdvice}.`,
        ]),
    ...(apps === 0
      ? []
      : [
          `The key of ${appsOf(apps)} is not here: put secrets.key into DATA_DIR, or set SECRETS_KEY, before the first start. Otherwise ${newAppsAdvice}.`,
        ]),
  ]
}

/** Describes what the start has done about lost keys. */
export function describeLost({ endpoints, apps }: MissingKeys): string[] {
  return [
    ...(endpoints === 0
      ? []
      : [`${endpointsOf(endpoints)} paused, because WEBHOOK_KEY (webhook.key) is lost: ${newSecretsAdvice}`]),
    ...(apps === 0
      ? []
      : [`${appsOf(apps)} cannot be read, because SECRETS_KEY (secrets.key) is lost: ${newAppsAdvice}`]),
  ]
}
