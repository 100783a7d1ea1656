import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
import { isExecutable } from './executable.ts'

/** Names under which systems install what draws pages and is nothing else: a page costs it a third of the time. */
const shells = ['chromium-headless-shell', 'chrome-headless-shell']
/** And those of whole browsers. */
const browsers = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/**
 * A real Chromium: the one that TEST_CHROMIUM names, else a shell that the machine has, else the packaged one, which is
 * one, too, so that the tests need nothing but Node and npm; else a whole browser. TEST_CHROMIUM=packaged passes the
 * machine's own over.
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
    // What "npx playwright-core install chromium" leaves behind is as good.
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

/** The package is made for Linux on x64 and brings the libraries and fonts along that a bare system lacks. */
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
  // Whether the libraries go with those of this machine is seen when it starts.
  return promisify(execFile)(executablePath, ['--version'], { env: environment }).then(
    () => options,
    () => undefined,
  )
}

/** Once for each version of the package, however many processes ask for it at the same time. */
export async function extractChromium(cache = join(modules, '.cache')): Promise<string> {
  const { version } = JSON.parse(await readFile(join(modules, '@sparticuz/chromium/package.json'), 'utf8'))
  const folder = join(cache, `chromium-${version}`)
  if (await isExecutable(join(folder, 'chromium'))) return folder
  await mkdir(cache, { recursive: true })
  const made = await mkdtemp(`${folder}-`)
  try {
    // The package writes to the temporary folder and believes the environment, hence a process of its own.
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

/** Those of the package look for the fonts elsewhere; a bare system has none. */
function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>${folder}/fonts</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>
`
}
