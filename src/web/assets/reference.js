;(() => {
  const root = document.getElementById('reference')
  const texts = JSON.parse(root.dataset.texts)
  /** Enough to read, and still fast to render. */
  const shownCharacters = 20_000
  const readBytes = 1_000_000

  const inserted = (text, value) => text.replace('{}', () => value)
  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties)
    element.append(...children)
    return element
  }
  const inWords = size => (size < 1024 ? `${size} bytes` : `${(size / 1024).toFixed(1)} kB`)

  /** Builds the request from the form. */
  function requestOf(form) {
    const { method, path, origin } = form.dataset
    const given = name => [...form.querySelectorAll(`[data-${name}]`)].filter(({ value }) => value !== '')
    const pairs = name => given(name).map(field => [field.dataset[name], field.value])
    const who = name => form.querySelector(`[data-credential="${name}"]`)
    const values = Object.fromEntries(pairs('path'))
    const query = new URLSearchParams(pairs('query')).toString()
    const json = form.querySelector('[data-json]')
    const part = form.querySelector('[data-part]')
    return {
      method,
      url: `${origin}${path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))}${query && `?${query}`}`,
      sws: who('sws-credential') && (who('sws-credential').value || '<credential>'),
      bearer: who('bearer-token') && (who('bearer-token').value || '<token>'),
      client: who('client-id') && [
        who('client-id').value || '<client_id>',
        who('client-secret').value || '<client_secret>',
      ],
      headers: pairs('header'),
      json: json?.value,
      form: form.querySelector('[data-form]') && pairs('form'),
      part: part?.value,
      files: [...form.querySelectorAll('[data-file]')].flatMap(field =>
        field.files.length > 0 ? [[field.dataset.file, field.files[0]]] : [],
      ),
    }
  }

  const quoted = text => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
  const compact = text => {
    try {
      return JSON.stringify(JSON.parse(text))
    } catch {
      return text
    }
  }

  /** The request as a curl command, in the format of the initial page. */
  function curlOf({ method, url, sws, bearer, client, headers, json, form, part, files }) {
    const hasBody = json !== undefined || form !== null || part !== undefined
    return [
      'curl',
      ...(method === (hasBody ? 'POST' : 'GET') ? [] : ['-X', method]),
      quoted(url),
      ...(sws ? ['-H', quoted(`Authorization: SWS ${sws}`)] : []),
      ...(bearer ? ['-H', quoted(`Authorization: Bearer ${bearer}`)] : []),
      ...(client ? ['-u', quoted(client.join(':'))] : []),
      ...headers.flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
      ...(json === undefined ? [] : ['-H', quoted('Content-Type: application/json'), '-d', quoted(json)]),
      ...(form ?? []).flatMap(([name, value]) => ['--data-urlencode', quoted(`${name}=${value}`)]),
      ...(part === undefined ? [] : ['-F', quoted(`application=${compact(part)};type=application/json`)]),
      ...files.flatMap(([name, file]) => ['-F', quoted(`${name}=@${file.name}`)]),
    ].join(' ')
  }

  const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

  function send({ method, url, sws, bearer, client, headers, json, form, part, files }) {
    const sent = new Headers(headers)
    if (sws) sent.set('authorization', `SWS ${sws}`)
    if (bearer) sent.set('authorization', `Bearer ${bearer}`)
    if (client) sent.set('authorization', `Basic ${base64(client.map(encodeURIComponent).join(':'))}`)
    let body
    if (json !== undefined) {
      sent.set('content-type', 'application/json')
      body = json
    } else if (part !== undefined) {
      body = new FormData()
      body.append('application', new Blob([part], { type: 'application/json' }))
      for (const [name, file] of files) body.append(name, file)
    } else if (form !== null) body = new URLSearchParams(form)
    // Without the reader's cookies, and without caching.
    // The token endpoint may have another origin; it is the same service, so the page calls its own origin.
    const { pathname, search } = new URL(url)
    return fetch(`${pathname}${search}`, {
      method,
      headers: sent,
      body,
      credentials: 'omit',
      cache: 'no-store',
    })
  }

  /** The start of the body, which may be a list of a million entries. */
  async function beginningOf(response) {
    const chunks = []
    let size = 0
    const reader = response.body?.getReader()
    while (reader !== undefined && size <= readBytes) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      size += value.length
    }
    await reader?.cancel()
    return new Blob(chunks)
  }

  function prettyText(text, type) {
    if (!/json/.test(type)) return text
    try {
      return JSON.stringify(JSON.parse(text), null, 2)
    } catch {
      return text
    }
  }

  async function showBody(response, into) {
    const type = response.headers.get('content-type') ?? ''
    const isFile = /^attachment/.test(response.headers.get('content-disposition') ?? '')
    const blob = isFile ? await response.blob() : await beginningOf(response)
    if (blob.size === 0) into.append(make('p', { textContent: texts.empty }))
    else if (isFile) {
      const name = /filename="([^"]*)"/.exec(response.headers.get('content-disposition'))?.[1] ?? 'file'
      const label = inserted(texts.save, inWords(blob.size))
      const href = URL.createObjectURL(blob)
      into.append(
        make('p', {}, make('a', { className: 'button second', href, download: name, textContent: label })),
      )
    } else {
      const text = prettyText(await blob.text(), type)
      if (text.length > shownCharacters) {
        into.append(
          make('p', { className: 'hint', textContent: inserted(texts.cut, String(shownCharacters)) }),
        )
      }
      into.append(block(texts.body, text.slice(0, shownCharacters)))
      takeToken(response, text, into)
    }
    return blob.size
  }

  /** Focusable, because it scrolls independently. */
  function block(label, text) {
    const element = make('pre', { className: 'answer', tabIndex: 0, textContent: text })
    element.setAttribute('role', 'region')
    element.setAttribute('aria-label', label)
    return element
  }

  function takeToken(response, text, into) {
    if (!response.ok || !response.url.endsWith('/api/iam/oauth2/token')) return
    const { access_token: token } = JSON.parse(text)
    for (const field of root.querySelectorAll('[data-credential="bearer-token"]')) {
      field.value = token
      showCurl(field.form)
    }
    into.append(make('p', { className: 'hint', textContent: texts.token }))
  }

  function showCurl(form) {
    document.getElementById(`curl-${form.dataset.call}`).firstChild.textContent = curlOf(requestOf(form))
  }

  async function run(form) {
    const outcome = form.querySelector('.outcome')
    const body = form.querySelector('.outcome-body')
    const button = form.querySelector('button')
    for (const link of body.querySelectorAll('a[download]')) URL.revokeObjectURL(link.href)
    body.replaceChildren()
    outcome.textContent = texts.sending
    button.disabled = true
    try {
      const startedAt = performance.now()
      const response = await send(requestOf(form))
      const time = Math.round(performance.now() - startedAt)
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
      body.append(
        make('details', {}, make('summary', { textContent: texts.headers }), block(texts.headers, headers)),
      )
      const size = await showBody(response, body)
      outcome.textContent = texts.answered
        .replace('{status}', `${response.status} ${response.statusText}`.trim())
        .replace('{time}', String(time))
        .replace('{size}', inWords(size))
    } catch (error) {
      outcome.textContent = inserted(texts.failed, String(error.message ?? error))
    } finally {
      button.disabled = false
      button.focus()
    }
  }

  function offerForms() {
    for (const form of root.querySelectorAll('form.try')) {
      form.hidden = false
      form.addEventListener('submit', event => {
        event.preventDefault()
        run(form)
      })
      form.addEventListener('input', ({ target: { dataset, value } }) => {
        // Fills the same credential in all forms of the page.
        if (dataset.credential === undefined) showCurl(form)
        else {
          for (const field of root.querySelectorAll(`[data-credential="${dataset.credential}"]`)) {
            field.value = value
            showCurl(field.form)
          }
        }
      })
      form.addEventListener('change', () => showCurl(form))
    }
  }

  function offerFilter() {
    const frame = root.querySelector('.reference-filter')
    const status = frame.querySelector('[role=status]')
    const calls = [...root.querySelectorAll('details.call')].map(call => ({
      call,
      text: call.querySelector('summary').textContent.toLowerCase(),
    }))
    frame.hidden = false
    frame.querySelector('input').addEventListener('input', ({ target }) => {
      const words = target.value.toLowerCase().split(/\s+/)
      let found = 0
      for (const { call, text } of calls) {
        call.hidden = !words.every(word => text.includes(word))
        if (!call.hidden) found += 1
      }
      for (const section of root.querySelectorAll('.calls')) {
        section.hidden = section.querySelector('details.call:not([hidden])') === null
      }
      status.textContent = target.value === '' ? '' : `${status.dataset.words} ${found}`
    })
  }

  /** Opens the call that the URL links to. */
  function openCall() {
    const call = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (call?.matches('details.call')) call.open = true
  }

  offerForms()
  offerFilter()
  openCall()
  addEventListener('hashchange', openCall)
})()
