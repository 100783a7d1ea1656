import assert from 'node:assert/strict'
import { type Outcome, runHere } from '../harness/command.ts'
import type { TestClient } from '../harness/oauth.ts'

export interface Registration {
  redirectUri?: string
  name?: string
  options?: readonly string[]
}

type Registered = { settings: Record<string, string> | undefined }

/** `dossier <args>` on the database of this service, in this process: for preparation only. */
export function operate({ settings }: Registered, ...args: string[]): Promise<Outcome> {
  if (settings === undefined) throw new Error('this test needs a service of its own')
  return runHere(args, settings)
}

/** The same, where it has to succeed. */
export async function mustOperate(service: Registered, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await operate(service, ...args)
  assert.equal(code, 0, `dossier ${args.join(' ')}: ${stderr}`)
  return stdout.trimEnd()
}

export async function registerClient(
  service: Registered,
  id: string,
  { redirectUri = `http://127.0.0.1:9091/${id}`, name = `Client ${id}`, options = [] }: Registration = {},
): Promise<TestClient> {
  const args = ['client', 'add', id, '--name', name, '--redirect-uri', redirectUri, ...options]
  return { id, secret: await mustOperate(service, ...args), redirectUri }
}
