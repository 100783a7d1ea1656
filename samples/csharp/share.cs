// Asks a candidate to share their profile, reads it, and reports that the form was submitted.
using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;

string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;

var url = Setting("DOSSIER_URL", "http://localhost:8080");
var auth = Setting("DOSSIER_AUTH_URL", url);
var clientId = Setting("CLIENT_ID", "demo-ats");
var clientSecret = Setting("CLIENT_SECRET", "demo-ats-secret");
var redirectUri = Setting("REDIRECT_URI", "http://127.0.0.1:9090/callback");
var advertiserId = Setting("ADVERTISER_ID", "10000001");
using var http = new HttpClient();

// Waits for the candidate to come back. Any program on this machine can call this address, so only our state counts.
async Task<System.Collections.Specialized.NameValueCollection> ComeBack(HttpListener listener, string state)
{
    while (true)
    {
        var context = await listener.GetContextAsync();
        var query = context.Request.QueryString;
        var isOurs = context.Request.Url?.AbsolutePath == new Uri(redirectUri).AbsolutePath && query["state"] == state;
        context.Response.StatusCode = isOurs ? 200 : 400;
        context.Response.ContentType = "text/plain";
        var text = isOurs ? "Thank you. You can close this window.\n" : "Not the answer we are waiting for.\n";
        context.Response.Close(Encoding.UTF8.GetBytes(text), willBlock: true);
        if (isOurs) return query;
    }
}

// Waits as long as Retry-After says. A request without a response is not retried: see the exchange of the code.
async Task<HttpContent> Send(Func<HttpRequestMessage> newRequest)
{
    while (true)
    {
        var response = await http.SendAsync(newRequest());
        if (response.IsSuccessStatusCode) return response.Content;
        if ((int)response.StatusCode is not (429 or 503) || response.Headers.RetryAfter?.Delta is not { } wait)
            throw new Exception(await response.Content.ReadAsStringAsync());
        await Task.Delay(wait);
    }
}

async Task<string> GetToken(Dictionary<string, string> fields)
{
    var basic = Convert.ToBase64String(Encoding.UTF8.GetBytes($"{clientId}:{clientSecret}"));
    var content = await Send(() => new HttpRequestMessage(HttpMethod.Post, $"{auth}/api/iam/oauth2/token")
    {
        Content = new FormUrlEncodedContent(fields),
        Headers = { Authorization = new AuthenticationHeaderValue("Basic", basic) },
    });
    return (await content.ReadFromJsonAsync<JsonElement>()).GetProperty("access_token").GetString()!;
}

Task<HttpContent> Call(string address, string token, object? body = null) =>
    Send(() => new HttpRequestMessage(body is null ? HttpMethod.Get : HttpMethod.Post, address)
    {
        Content = body is null ? null : JsonContent.Create(body),
        Headers = { Authorization = new AuthenticationHeaderValue("Bearer", token) },
    });

// A new state for each candidate ties the redirect to this request.
var state = Guid.NewGuid().ToString();
using var listener = new HttpListener();
listener.Prefixes.Add($"{new Uri(redirectUri).GetLeftPart(UriPartial.Authority)}/");
listener.Start();
Console.WriteLine("Open this address in a browser, sign in and decide:");
Console.WriteLine($"{auth}/api/iam/oauth2/authorize?response_type=code&client_id={clientId}"
    + $"&redirect_uri={Uri.EscapeDataString(redirectUri)}&scope=r_profile_apply&state={state}&advertiser_id={advertiserId}");
var answer = await ComeBack(listener, state);
// The issuer shows that the redirect comes from the server we asked.
if (answer["code"] is not { } code || answer["iss"] != auth) throw new Exception($"nothing was shared: {answer["error"]}");

// A code buys one token: if you get no response, send the candidate again instead of repeating this call.
var token = await GetToken(new()
{
    ["grant_type"] = "authorization_code", ["code"] = code, ["redirect_uri"] = redirectUri,
});

// This call can be repeated: it returns the same prefilled application.
var profile = await (await Call($"{url}/v2/applications/prefilled", token,
    new { advertiserId, applicationFormUrl = "https://careers.example.com/apply/7" })).ReadFromJsonAsync<JsonElement>();
Console.WriteLine(profile);

if (profile.GetProperty("resume") is { ValueKind: JsonValueKind.Object } resume)
{
    var content = await Call(resume.GetProperty("link").GetString()!, token);
    File.WriteAllBytes("resume", await content.ReadAsByteArrayAsync());
}

// Report completion when the candidate has submitted your form. The token is your own, without scope, so this works days later too.
var own = await GetToken(new() { ["grant_type"] = "client_credentials" });
await Call(profile.GetProperty("complete").GetString()!, own, new { completionDate = DateTimeOffset.UtcNow });
Console.WriteLine("reported as submitted");
