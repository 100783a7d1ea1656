;(() => {
  const main = document.getElementById('main')
  /** All texts come from the page, in its language. */
  let texts = {}
  const say = (text, values) =>
    Object.entries(values).reduce((said, [name, value]) => said.replace(`{${name}}`, value), text)

  function start() {
    const form = main?.querySelector('form[data-apply]')
    if (!form) return
    texts = JSON.parse(form.dataset.texts)
    const seen = new Set()
    for (const counted of form.querySelectorAll('[data-count]')) addCounter(counted)
    // A message that appears while the pointer is down would move away what is being pressed.
    let pressed = Promise.resolve()
    addEventListener('pointerdown', () => {
      pressed = new Promise(done => {
        for (const end of ['pointerup', 'pointercancel'])
          addEventListener(end, () => setTimeout(done), { once: true })
      })
    })
    form.addEventListener('focusout', async ({ target }) => {
      await pressed
      // Leaving an untouched field is not a mistake yet.
      if (isChecked(target) && target.value !== target.defaultValue) seen.add(target.name)
      if (seen.has(target.name)) check(form, target)
    })
    form.addEventListener('input', ({ target }) => {
      link(form, target)
      if (target.type === 'file') seen.add(target.name)
      if (seen.has(target.name) || target.getAttribute('aria-invalid') === 'true') check(form, target)
      const group = target.closest('fieldset[data-empty]')
      if (group?.querySelector('.fault')) checkGroup(group)
    })
    const draft = keepDraft(form)
    form.addEventListener('submit', async event => {
      event.preventDefault()
      const { submitter } = event
      if (submitter?.dataset.use) return use(form, submitter)
      const isSaving = submitter?.hasAttribute('formaction')
      const wrong = isSaving ? undefined : firstWrong(form)
      if (wrong) return wrong.focus()
      // The second press of a double click would send the form again.
      for (const button of form.querySelectorAll('button')) button.disabled = true
      // A save that is under way would be newer than the form that is sent.
      await draft.pause()
      send(form, isSaving ? { to: submitter.formAction, text: texts.saving } : {})
    })
  }

  /** Fills in an earlier answer. */
  function use(form, button) {
    const { field, values } = JSON.parse(button.dataset.use)
    let last
    for (const input of form.querySelectorAll(`[name="${CSS.escape(field)}"]`)) {
      const isChoice = input.matches('[type=radio], [type=checkbox]')
      if (isChoice) input.checked = values.includes(input.value)
      else input.value = values[0]
      if (!isChoice || input.checked) last = input
    }
    last?.focus()
    last?.dispatchEvent(new Event('input', { bubbles: true }))
  }

  /** Saves what is typed some seconds after a change, and when the page is left; files only by the button. */
  function keepDraft(form) {
    const status = form.querySelector('[data-draft]')
    let timer
    let isChanged = false
    let isStopped = false
    let isPaused = false
    let isRenewed = false
    let saving
    /** What was sent and may have been saved: only the same text again tells its version. */
    let unsure
    const files = () => [...form.querySelectorAll('input[type=file]')].filter(file => file.files.length > 0)
    const failed = (...reason) => {
      const [before = '', after = ''] = texts.couldNotSave.split('{reason}')
      status.ariaLive = 'polite'
      status.replaceChildren(before, ...reason, after)
    }
    function textFields() {
      const fields = new FormData(form)
      for (const { name } of form.querySelectorAll('input[type=file]')) fields.delete(name)
      fields.delete('removeFile')
      return fields
    }

    async function save(keepalive) {
      clearTimeout(timer)
      timer = undefined
      const isRepeated = unsure !== undefined
      isChanged = isRepeated
      unsure ??= textFields()
      try {
        const answer = await fetch(`${form.action}/draft`, {
          method: 'POST',
          body: unsure,
          headers: { accept: 'application/json' },
          keepalive,
          // Sending waits for this.
          signal: AbortSignal.timeout(30_000),
        })
        if (answer.ok && answer.headers.get('content-type')?.startsWith('application/json')) {
          const { version, savedAt } = await answer.json()
          unsure = undefined
          isRenewed = false
          form.elements.draft_version.value = version
          const time = new Date(savedAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
          if (isRepeated) return change(texts.saveAfter)
          if (isChanged) return
          status.textContent = say(files().length > 0 ? texts.savedWithoutFiles : texts.savedAt, { time })
          // Announced once, not after every pause in typing.
          status.ariaLive = 'off'
        } else if (answer.status === 429 || answer.status >= 500) {
          failed(texts.tryLater)
          change(60_000)
        } else if (answer.status === 401 || new URL(answer.url).pathname === signInPath) {
          failed(signedOut())
          change(60_000)
        } else {
          const responseText = await answer.text()
          unsure = undefined
          if (!isRenewed && renew(form, { responseText, status: answer.status })) {
            isRenewed = true
            return change(0)
          }
          // A newer draft, or a limit: the person decides.
          isStopped = true
          const page = new DOMParser().parseFromString(responseText, 'text/html')
          const reason = page.querySelector('[role=alert], #main [role=status]')
          failed(
            ...(reason
              ? [...reason.childNodes].map(node => document.importNode(node, true))
              : [texts.notTaken]),
          )
        }
      } catch {
        failed(texts.noConnection)
        change(30_000)
      }
    }

    /** One at a time: each is made from the version of the previous one. */
    function saveNext(keepalive = false) {
      saving = Promise.resolve(saving).then(() => (isStopped || isPaused ? undefined : save(keepalive)))
    }

    function change(wait) {
      isChanged = true
      if (isStopped || isPaused || timer !== undefined) return
      timer = setTimeout(saveNext, wait)
    }

    form.addEventListener('input', () => {
      if (!isStopped && timer === undefined) status.textContent = texts.notSaved
      change(texts.saveAfter)
    })
    form.addEventListener('unsent', () => {
      isPaused = false
      if (!isStopped) status.textContent = texts.notSaved
      change(texts.saveAfter)
    })
    document.addEventListener('visibilitychange', () => {
      if (document.hidden && timer !== undefined) saveNext(true)
    })
    return {
      /** Until the form is not sent after all; waits for what is under way. */
      async pause() {
        isPaused = true
        clearTimeout(timer)
        timer = undefined
        if (!isStopped) status.textContent = texts.saving
        await saving
        if (unsure !== undefined && !isStopped) await save(false)
      },
    }
  }

  const isChecked = field =>
    field.matches('input:not([type=radio], [type=checkbox], [type=hidden]), textarea')

  /** Choosing a file selects it as the resume. */
  function link(form, { name, value, type, files }) {
    const choose = (group, choice) => {
      const radio = form.querySelector(`input[name=${group}][value=${choice}]`)
      if (radio) radio.checked = true
    }
    if (name === 'resumeFile' && files?.length > 0) choose('resume', 'upload')
    const file = form.querySelector('#resumeFile')
    if (name === 'resume' && type === 'radio' && value !== 'upload' && file) {
      file.value = ''
      tell(file, '')
    }
    if (name === 'work' && value !== 'job') {
      for (const field of form.querySelectorAll('[data-work] input')) tell(field, '')
    }
  }

  function faultOf(form, field) {
    if (field.type === 'file') return fileFault(form, field)
    const value = field.value.trim()
    if (value === '') return field.dataset.empty ?? ''
    const most = Number(field.dataset.most)
    if (most > 0 && value.length > most) {
      return say(texts.tooLong, { most, length: value.length })
    }
    if (field.type === 'email') return /^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$/.test(value) ? '' : texts.notAnEmail
    if (field.type === 'url') {
      return /^https?:\/\/[^/?#\s]\S*$/i.test(value) && URL.canParse(value) ? '' : texts.notAnAddress
    }
    if ('months' in field.dataset && form.querySelector('input[name=work][value=job]')?.checked) {
      const isMonths = /^\d{1,5}$/.test(value.replaceAll(/\s/g, '')) && Number(value) <= texts.monthsMost
      return isMonths ? '' : texts.months
    }
    return ''
  }

  function fileFault(form, field) {
    const file = field.files?.[0]
    if (!file) {
      if ('saved' in field.dataset) return ''
      const isWanted =
        field.name === 'resumeFile' && form.querySelector('input[name=resume][value=upload]')?.checked
      if (isWanted) return texts.noFile
      return field.required ? texts.noAnswerFile : ''
    }
    if (file.size === 0) return texts.empty
    // The name is not checked: only the service can check the content.
    return file.size > texts.fileBytes ? texts.tooLarge : ''
  }

  function check(form, field) {
    const fault = faultOf(form, field) ?? ''
    tell(field, fault)
    return fault === ''
  }

  /** Checks a required group of checkboxes or radio buttons. */
  function checkGroup(group) {
    const inputs = [...group.querySelectorAll('input')]
    const [first] = inputs
    if (!first) return true
    const isAnswered = inputs.some(input => input.checked)
    const fault = isAnswered ? '' : group.dataset.empty
    const marked = group.getAttribute('role') === 'radiogroup' ? [group] : inputs
    for (const element of marked) {
      if (fault) element.setAttribute('aria-invalid', 'true')
      else element.removeAttribute('aria-invalid')
    }
    write(`${first.id}-fault`, fault, note => group.querySelector('legend')?.after(note))
    if (fault) group.setAttribute('aria-describedby', `${first.id}-fault`)
    else group.removeAttribute('aria-describedby')
    return isAnswered
  }

  function tell(field, fault) {
    const id = `${field.id}-fault`
    write(id, fault, note => field.after(note))
    const others = (field.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .filter(each => each && each !== id)
    const described = fault ? [...others, id] : others
    if (described.length > 0) field.setAttribute('aria-describedby', described.join(' '))
    else field.removeAttribute('aria-describedby')
    if (fault) field.setAttribute('aria-invalid', 'true')
    else field.removeAttribute('aria-invalid')
  }

  function write(id, text, place) {
    let note = document.getElementById(id)
    if (!text) {
      note?.remove()
      return
    }
    if (!note) {
      note = document.createElement('span')
      note.className = 'fault'
      note.id = id
      place(note)
    }
    note.textContent = text
  }

  /** Checks all fields in page order and returns the first invalid one. */
  function firstWrong(form) {
    const wrong = [...form.querySelectorAll('input, textarea, fieldset[data-empty]')].filter(element => {
      if (element.matches('fieldset')) return !checkGroup(element)
      return isChecked(element) && !check(form, element)
    })
    return wrong[0]?.matches('fieldset') ? wrong[0].querySelector('input') : wrong[0]
  }

  function addCounter(field) {
    const most = Number(field.dataset.most)
    if (!most || document.getElementById(`${field.id}-count`)) return
    const counter = document.createElement('span')
    counter.className = 'hint'
    counter.id = `${field.id}-count`
    field.after(counter)
    const count = () => {
      // Shown only near the limit.
      const length = field.value.trim().length
      counter.textContent = length > most * 0.8 ? say(texts.count, { length, most }) : ''
    }
    field.addEventListener('input', count)
    count()
  }

  const signInPath = '/sign-in'

  /** Offers to sign in in another tab, because leaving this page would lose the entered values. */
  function signedOut() {
    const words = document.createElement('span')
    const link = document.createElement('a')
    // Does not continue to the form: a second, empty one could be mistaken for this one.
    link.href = `${signInPath}?continue=%2Faccount%2Fapplications`
    link.target = '_blank'
    link.rel = 'noopener'
    link.textContent = texts.signInAgain
    const [before = '', after = ''] = texts.signedOut.split('{link}')
    words.append(before, link, after)
    return words
  }

  function send(form, { isSecond = false, to = form.action, text = texts.sending } = {}) {
    const request = new XMLHttpRequest()
    const buttons = [...form.querySelectorAll('button')]
    const progress = progressIn(form, text)
    for (const button of buttons) button.disabled = true

    request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) progress.show(loaded, total)
    })
    request.addEventListener('load', () => {
      // Compare with the form's path, because the page's own URL may be spelled differently.
      const { pathname } = new URL(request.responseURL || form.action)
      if (request.status === 401 || pathname === signInPath) fail(signedOut())
      else if ([form.action, to].some(action => pathname === new URL(action).pathname)) {
        if (!isSecond && renew(form, request)) send(form, { isSecond: true, to, text })
        else showAnswer(request, fail)
      }
      // A redirect leads to the receipt.
      else location.assign(request.responseURL)
    })
    for (const event of ['error', 'abort', 'timeout']) {
      request.addEventListener(event, () => fail(texts.lost, texts.sendAgain))
    }
    request.open('POST', to)
    request.setRequestHeader('accept', 'text/html')
    request.send(new FormData(form))

    /** The form key stays the same on a retry, so there will be only one application. */
    function fail(...words) {
      progress.fail(...words)
      form.dispatchEvent(new Event('unsent'))
      for (const button of buttons) button.disabled = false
    }
  }

  /** After a sign-in the server returns the same form with a new token; it is sent again without asking. */
  function renew(form, { responseText, status }) {
    if (status !== 403) return false
    const answer = new DOMParser().parseFromString(responseText, 'text/html')
    const next = answer.querySelector('form[data-apply]')
    const isSame = name => next?.elements[name]?.value === form.elements[name].value
    if (!next || !['form_key', 'candidate', 'questions'].every(isSame)) return false
    form.elements.form_token.value = next.elements.form_token.value
    return true
  }

  function progressIn(form, text) {
    form.querySelector('.sending')?.remove()
    const box = document.createElement('div')
    box.className = 'sending'
    box.tabIndex = -1
    const status = document.createElement('p')
    status.setAttribute('role', 'status')
    const bar = document.createElement('progress')
    bar.setAttribute('aria-label', texts.progress)
    const amount = document.createElement('p')
    amount.className = 'hint'
    box.append(status, bar, amount)
    const actions = form.querySelector('.actions')
    if (actions) actions.before(box)
    else form.append(box)
    status.textContent = text
    // The focused button is now disabled.
    box.focus()
    const inMegabytes = bytes => (bytes / 1024 / 1024).toFixed(1)
    return {
      show(loaded, total) {
        bar.max = total
        bar.value = loaded
        amount.textContent =
          loaded < total
            ? say(texts.sent, { loaded: inMegabytes(loaded), total: inMegabytes(total) })
            : texts.allSent
      },
      /** Advises a retry only if it can help. */
      fail(reason, advice = '') {
        bar.remove()
        amount.remove()
        box.className = 'sending problem'
        status.setAttribute('role', 'alert')
        status.replaceChildren(reason, ` ${texts.stillHere} ${advice}`)
        box.focus()
      },
    }
  }

  /** Shows the returned form with its errors and keeps chosen files. Ignores any other page. */
  function showAnswer({ responseText, status }, fail) {
    const answer = new DOMParser().parseFromString(responseText, 'text/html')
    const next = answer.getElementById('main')
    // 404 is final: the job no longer accepts applications.
    if (!next || (status !== 404 && !next.querySelector('form[data-apply]'))) {
      const reason = answer.querySelector('[role=alert]')?.textContent.trim()
      const isPassing = status === 429 || status >= 500
      fail(reason ?? texts.notTaken, isPassing ? texts.sendAgain : '')
      return
    }
    // A form that was saved has its files on the server.
    const kept = status === 200 ? [] : main.querySelectorAll('input[type=file]')
    for (const file of kept) {
      const replaced = file.files?.length > 0 ? next.querySelector(`#${file.id}`) : null
      if (!replaced) continue
      for (const name of ['aria-invalid', 'aria-describedby']) {
        if (replaced.hasAttribute(name)) file.setAttribute(name, replaced.getAttribute(name))
        else file.removeAttribute(name)
      }
      replaced.replaceWith(file)
    }
    for (const note of next.querySelectorAll('[data-files-lost]')) note.remove()
    // Browsers honour autofocus only on page load, and log a warning later.
    for (const element of next.querySelectorAll('[autofocus]')) element.removeAttribute('autofocus')
    main.replaceChildren(...next.childNodes)
    // The sign-out button belongs to the session of this response.
    const header = answer.querySelector('header')
    if (header) document.querySelector('header')?.replaceWith(header)
    document.title = answer.title
    main.dispatchEvent(new Event('shown', { bubbles: true }))
    start()
    const summary = main.querySelector('[role=alert]') ?? main.querySelector('h1')
    if (summary) {
      summary.tabIndex = -1
      summary.focus()
      summary.scrollIntoView({ block: 'center' })
    }
  }

  start()
})()
