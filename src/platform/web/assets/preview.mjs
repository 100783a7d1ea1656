/**
 * Draws the pages of a PDF as they come into view. The library is half a megabyte, so it is loaded only when a preview
 * is visible. Scripts, links and forms in the PDF are never activated.
 */

const mostPages = 50
/** Per page: enough for a sharp A4 page on a high-density display. */
const mostPixels = 6_000_000
/** Height to width: limits how far a malicious page can scroll. */
const mostProportion = 4

/** A file that takes longer is probably an attack. */
const patienceMs = 20_000

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name])

/**
 * Opens a file with a time limit: `inTime` rejects if a step takes too long, and terminates the worker, which would
 * otherwise keep running.
 */
async function openDocument({ pdf, library, worker: workerSrc, libraryFiles }) {
  const [response, { getDocument, GlobalWorkerOptions, PDFWorker, VerbosityLevel }] = await Promise.all([
    fetch(pdf),
    import(library),
  ])
  if (!response.ok) throw new Error(`the file was answered with ${response.status}`)
  GlobalWorkerOptions.workerSrc = workerSrc
  const worker = new PDFWorker({ verbosity: VerbosityLevel.ERRORS })
  const inTime = work =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        worker.destroy()
        reject(new Error('it takes too long'))
      }, patienceMs)
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  const files = new URL(libraryFiles, location.href).href
  const task = getDocument({
    worker,
    data: new Uint8Array(await response.arrayBuffer()),
    standardFontDataUrl: `${files}standard_fonts/`,
    cMapUrl: `${files}cmaps/`,
    wasmUrl: `${files}wasm/`,
    // Our content security policy forbids compiling code at run time.
    useWasm: false,
    // Draw glyphs as shapes, so that no untrusted font reaches the browser.
    disableFontFace: true,
    useSystemFonts: false,
    enableXfa: false,
    maxImageSize: 64_000_000,
    canvasMaxAreaInBytes: 4 * 16_000_000,
    disableWorkerRendering: true,
    verbosity: VerbosityLevel.ERRORS,
  })
  return { pdf: await inTime(task.promise), inTime }
}

/** A canvas of the page's proportions, so that drawing causes no layout shift. */
function placePage(region, label, { width, height }) {
  const canvas = document.createElement('canvas')
  canvas.width = 0
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-label', label)
  const proportion = Math.min(mostProportion, Math.max(1 / mostProportion, height / width))
  canvas.style.aspectRatio = `1 / ${proportion}`
  region.append(canvas)
  return canvas
}

async function drawPage(page, canvas) {
  const { width, height } = page.getViewport({ scale: 1 })
  const wanted = (canvas.clientWidth / width) * devicePixelRatio
  const scale = Math.min(wanted, Math.sqrt(mostPixels / (width * height)))
  const viewport = page.getViewport({ scale })
  canvas.width = Math.max(1, Math.floor(viewport.width))
  canvas.height = Math.max(1, Math.floor(viewport.height))
  await page.render({ canvas, viewport }).promise
}

/** Adds the text of the page for screen readers, which cannot read a canvas. */
async function addWords(page, canvas) {
  const { items } = await page.getTextContent()
  const words = document.createElement('div')
  words.className = 'visually-hidden'
  words.textContent = items
    .map(({ str = '', hasEOL }) => (hasEOL ? `${str} ` : str))
    .join('')
    .slice(0, 20_000)
  canvas.after(words)
}

async function show(region) {
  const { page: pageText, cut, failed } = region.dataset
  const state = region.querySelector('.preview-state')
  const giveUp = () => {
    region.classList.add('is-failed')
    state.textContent = failed
    state.hidden = false
  }
  try {
    const { pdf, inTime } = await openDocument(region.dataset)
    const shown = Math.min(pdf.numPages, mostPages)
    const pages = new Map()
    const inView = new IntersectionObserver(
      async entries => {
        for (const { target: canvas, isIntersecting } of entries) {
          const entry = pages.get(canvas)
          if (!isIntersecting) {
            // Free the canvas of a page that is out of view.
            if (entry.isDrawn) {
              canvas.width = 0
              entry.isDrawn = false
            }
          } else if (!entry.isDrawn) {
            entry.isDrawn = true
            entry.drawing = entry.drawing.then(() => inTime(drawPage(entry.page, canvas))).catch(giveUp)
          }
        }
      },
      { root: region, rootMargin: '50%' },
    )
    for (let number = 1; number <= shown; number++) {
      const page = await inTime(pdf.getPage(number))
      const label = filled(pageText, { page: number, pages: pdf.numPages })
      const canvas = placePage(region, label, page.getViewport({ scale: 1 }))
      pages.set(canvas, { page, isDrawn: false, drawing: Promise.resolve() })
      inView.observe(canvas)
    }
    state.hidden = shown === pdf.numPages
    state.textContent = filled(cut, { shown, pages: pdf.numPages })
    region.append(state)
    for (const [canvas, { page }] of pages) await inTime(addWords(page, canvas))
  } catch {
    // The page says so; the file can still be downloaded.
    giveUp()
  }
}

const whenSeen = new IntersectionObserver(
  entries => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      whenSeen.unobserve(target)
      show(target)
    }
  },
  { rootMargin: '200px' },
)
for (const region of document.querySelectorAll('[data-pdf]')) whenSeen.observe(region)
