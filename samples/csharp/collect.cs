// Runs one round of a poller that never misses or repeats an application. Run it every minute.
// The store is the cursor: one line per application, and the last line says where to continue.
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;

var url = Setting("DOSSIER_URL", "http://localhost:8080");
var store = Setting("STORE", "applications");
using var http = new HttpClient { BaseAddress = new Uri($"{url}/v1/") };
http.DefaultRequestHeaders.Authorization =
    new AuthenticationHeaderValue("SWS", Setting("SWS_CREDENTIAL", "sws_demo_harbour"));

// Reading changes nothing, so every request that failed temporarily can be retried.
async Task<(int Status, HttpResponseMessage Response, byte[] Body)> Ask(string path, int tries = 8)
{
    for (var attempt = 1; ; attempt++)
    {
        var wait = TimeSpan.FromSeconds(Math.Pow(2, attempt - 1));
        try
        {
            // Reading the body is part of the attempt, because the connection may break half-way.
            var response = await http.GetAsync(path);
            var body = await response.Content.ReadAsByteArrayAsync();
            var status = (int)response.StatusCode;
            var isHeld = status == 503 && Encoding.UTF8.GetString(body).Contains("\"not-yet-scanned\"");
            if ((status != 429 && status < 500) || isHeld || attempt == tries) return (status, response, body);
            wait = response.Headers.RetryAfter?.Delta ?? wait;
        }
        catch (Exception error) when (attempt < tries && error is HttpRequestException or TaskCanceledException)
        {
        }
        await Task.Delay(wait);
    }
}

// Returns the name under which the file was sent, without anything that could lead out of its folder.
string NameOf(ContentDispositionHeaderValue? disposition)
{
    var name = disposition is null ? "screen.json" : disposition.FileNameStar ?? disposition.FileName?.Trim('"') ?? "";
    var safe = Regex.Replace(name, @"^\.+|[/\\:*?""<>|\p{Cc}]", "_");
    return safe == "" ? "file" : safe;
}

Directory.CreateDirectory($"{store}/files");
var file = $"{store}/applications.ndjson";
var stored = new List<JsonElement>();
if (File.Exists(file))
{
    var text = File.ReadAllText(file);
    var whole = text[..(text.LastIndexOf('\n') + 1)];
    // A crash in the middle of a write leaves half a line, which does not count as stored.
    if (whole.Length < text.Length) File.WriteAllText(file, whole);
    foreach (var line in whole.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        stored.Add(JsonDocument.Parse(line).RootElement);
}

bool IsInfected(JsonElement attachment) => attachment.GetProperty("HasVirus").ValueKind == JsonValueKind.True;

for (var more = true; more;)
{
    var after = stored.Count > 0 ? stored[^1].GetProperty("ID").GetInt64() : 0;
    var (status, response, body) = await Ask($"advertiser/applications?afterid={after}&limit=500");
    if (status != 200) throw new Exception($"{status} {Encoding.UTF8.GetString(body)}");
    var page = JsonDocument.Parse(body).RootElement
        .GetProperty("JobApplications").GetProperty("JobApplicationsList").EnumerateArray().ToList();
    File.AppendAllLines(file, page.Select(application => application.GetRawText()));
    stored.AddRange(page);
    foreach (var each in page)
    {
        var types = each.GetProperty("Attachments").EnumerateArray()
            .Select(attachment => attachment.GetProperty("Type") + (IsInfected(attachment) ? " (infected)" : ""))
            .DefaultIfEmpty("no attachments");
        Console.WriteLine($"{each.GetProperty("ID")} {each.GetProperty("FirstName")} {each.GetProperty("LastName")}: {string.Join(", ", types)}");
    }
    more = response.Headers.TryGetValues("Link", out var links) && links.Any(link => link.Contains("rel=\"next\""));
}

// Files come after the list, so that one the virus scanner holds back does not delay the rest.
foreach (var application in stored)
{
    foreach (var attachment in application.GetProperty("Attachments").EnumerateArray())
    {
        // Each file has its own folder: candidates choose the names, and two files may have the same one.
        var folder = $"{store}/files/{application.GetProperty("ID")}-{attachment.GetProperty("Type")}";
        if (IsInfected(attachment) || Directory.Exists(folder)) continue;
        var href = attachment.GetProperty("Href").GetString()!;
        var (status, response, body) = await Ask(href, tries: 2);
        var isInfected = response.Headers.Contains("X-Has-Virus");
        var isGone = status == 404 || (status == 403 && Encoding.UTF8.GetString(body).Contains("\"file-not-judged\""));
        if (status != 200 && !isGone)
        {
            Console.Error.WriteLine($"{href}: {status}, trying again in the next round");
            continue;
        }
        // An empty folder means that there is nothing left to download.
        Directory.CreateDirectory($"{folder}.part");
        if (isGone || isInfected) Console.Error.WriteLine($"{href}: {(isInfected ? "infected" : status.ToString())}, skipped");
        else File.WriteAllBytes($"{folder}.part/{NameOf(response.Content.Headers.ContentDisposition)}", body);
        Directory.Move($"{folder}.part", folder);
    }
}
