import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
import { isExecutable } from './executable.ts'

/** Names of headless shells, which only render pages: a page takes a third of the time. */
const shells = ['chromium-headless-shell', 'chrome-headless-shell']
/** And those of whole browsers. */
const browsers = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/**
 * A real Chromium: the one that TEST_CHROMIUM names, else a headless shell on the machine, else the packaged one, also
 * a shell, so that the tests need nothing but Node and npm; else a whole browser. TEST_CHROMIUM=packaged ignores the
 * machine's own.
 */
export async function launchChromium(): Promise<Browser> {
  const found = await findChromium()
  if (found === undefined) {
    throw new Error('No Chromium was found, see test/harness/components.ts.')
  }
  return chromium.launch(found)
}

export async function findChromium(): Promise<LaunchOptions | undefined> {
  const wanted = process.env['TEST_CHROMIUM'] ?? ''
  if (wanted === 'packaged') return packagedChromium()
  if (wanted !== '') return firstExecutable([wanted])
  return (
    (await firstExecutable(onPath(shells))) ??
    (await packagedChromium()) ??
    // The one installed by "npx playwright-core install chromium" will do as well.
    (await firstExecutable([...onPath(browsers), chromium.executablePath()]))
  )
}

function onPath(names: readonly string[]): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(folder => folder !== '')
  return names.flatMap(name => folders.map(folder => join(folder, name)))
}

async function firstExecutable(paths: readonly string[]): Promise<LaunchOptions | undefined> {
  for (const path of paths) if (await isExecutable(path)) return { executablePath: path }
  return undefined
}

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** The package is made for Linux on x64 and includes the libraries and fonts that a bare system lacks. */
async function packagedChromium(): Promise<LaunchOptions | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const folder = await extractChromium()
  const environment = {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_PATH: join(folder, 'fonts'),
  }
  const executablePath = join(folder, 'chromium')
  // Without the arguments of the package: they switch off security features of the browser.
  const options = { executablePath, env: environment }
  // Whether the libraries match those of this machine shows when it starts.
  return promisify(execFile)(executablePath, ['--version'], { env: environment }).then(
    () => options,
    () => undefined,
  )
}

/** Once for each version of the package, however many processes request it at the same time. */
export async function extractChromium(cache = join(modules, '.cache')): Promise<string> {
  const { version } = JSON.parse(await readFile(join(modules, '@sparticuz/chromium/package.json'), 'utf8'))
  const folder = join(cache, `chromium-${version}`)
  if (await isExecutable(join(folder, 'chromium'))) return folder
  await mkdir(cache, { recursive: true })
  const made = await mkdtemp(`${folder}-`)
  try {
    // The package writes to the temporary folder and trusts the environment, so it runs in its own process.
    await promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        "await (await import('@sparticuz/chromium')).default.executablePath()",
      ],
      {
        cwd: fileURLToPath(new URL('.', import.meta.url)),
        env: { ...process.env, TMPDIR: made, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' },
      },
    )
    await writeFile(join(made, 'fonts', 'fonts.conf'), fontSettings(folder))
    await rename(made, folder)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    // Another process was faster.
    if (!(await isExecutable(join(folder, 'chromium')))) throw error
  }
  return folder
}

/** The packaged ones look for fonts elsewhere; a bare system has none. */
function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>${folder}/fonts</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>
`
}
