import type { Server } from '../../platform/http/server.ts'
import { type Config, SettingError } from '../../settings.ts'

/** Listens on the configured ports; failures name the setting. */

export const listenToPublic = (config: Config, server: Server): Promise<number> =>
  listenOn(server, 'HOST', config.HOST, 'PORT', config.PORT)

/** Returns the URL of the admin server, which serves the metrics. */
export async function listenToAdmin(config: Config, server: Server): Promise<string> {
  const { ADMIN_HOST: host } = config
  const port = await listenOn(server, 'ADMIN_HOST', host, 'ADMIN_PORT', config.ADMIN_PORT)
  return `http://${host}:${port}`
}

async function listenOn(
  server: Server,
  hostSetting: string,
  host: string,
  portSetting: string,
  port: number,
): Promise<number> {
  try {
    return await server.listen(host, port)
  } catch (error) {
    // The server may already listen on the first of two addresses.
    await server.drain()
    const { code } = error as NodeJS.ErrnoException
    throw code === 'EADDRINUSE'
      ? new SettingError(portSetting, `port ${port} of ${host} is in use; choose another`)
      : new SettingError(hostSetting, `cannot listen on port ${port} of ${host} (${code})`)
  }
}
