import { readText } from './repository.ts'

/** The server of the guide with `DOWNLOADS=nginx`, in front of a service on this port with this DATA_DIR. */
export function downloadsServer(listen: string, port: number, dataDir: string): string {
  const guide = readText('docs/operating/scaling.md')
  const [, config = ''] = /```nginx\n([^`]*dossier-blobs[^`]*)```/.exec(guide) ?? []
  return [
    ['# listen, TLS', listen],
    ['10.0.0.1:8080', `127.0.0.1:${port}`],
    ['/var/lib/dossier', dataDir],
    // The demo rejects callers from other hosts.
    ['proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;', ''],
  ].reduce((text, [placeholder = '', value = '']) => {
    if (!text.includes(placeholder)) throw new Error(`the guide has no ${placeholder}`)
    return text.replace(placeholder, value)
  }, config)
}
