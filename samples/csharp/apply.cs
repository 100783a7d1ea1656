// Sends an application and retries until there is a response: it is stored once, whatever the network does.
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;

string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;

var url = Setting("DOSSIER_URL", "http://localhost:8080");
var auth = Setting("DOSSIER_AUTH_URL", url);
var client = $"{Setting("CLIENT_ID", "demo-board")}:{Setting("CLIENT_SECRET", "demo-board-secret")}";
// One key per application, created once and stored with it, so that every retry sends the same key.
var key = Setting("KEY", Guid.NewGuid().ToString());
using var http = new HttpClient();

var application = new
{
    advertiserId = 10000001,
    jobAdId = 32,
    jobSeekerId = "user-4711",
    contact = new { email = "casey@example.com", firstName = "Casey", lastName = "Lim" },
};

async Task<string> Send(Func<HttpRequestMessage> newRequest)
{
    for (var wait = TimeSpan.FromSeconds(1); ; wait = wait < TimeSpan.FromSeconds(32) ? wait * 2 : wait)
    {
        var pause = wait;
        try
        {
            var response = await http.SendAsync(newRequest());
            var body = await response.Content.ReadAsStringAsync();
            if (response.IsSuccessStatusCode) return body;
            var status = (int)response.StatusCode;
            if (status != 429 && status < 500 && !body.Contains("\"idempotency-key-in-use\"")) throw new Exception(body);
            pause = response.Headers.RetryAfter?.Delta ?? wait;
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException)
        {
            // Without a response it may or may not be stored. The key makes it safe to send it again.
        }
        await Task.Delay(pause);
    }
}

HttpRequestMessage NewTokenRequest() => new(HttpMethod.Post, $"{auth}/api/iam/oauth2/token")
{
    Content = new FormUrlEncodedContent(new Dictionary<string, string>
    {
        ["grant_type"] = "client_credentials", ["scope"] = "w_applications",
    }),
    Headers =
    {
        Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(client))),
    },
};

HttpRequestMessage NewApplication(string token)
{
    // The JSON must come before the files.
    var form = new MultipartFormDataContent
    {
        { JsonContent.Create(application), "application" },
        { new StringContent("Casey Lim. Ten years behind an espresso machine.\n"), "resume", "resume.txt" },
    };
    var request = new HttpRequestMessage(HttpMethod.Post, $"{url}/v1/intake/applications") { Content = form };
    request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
    request.Headers.Add("Idempotency-Key", key);
    return request;
}

var granted = JsonDocument.Parse(await Send(NewTokenRequest)).RootElement;
var token = granted.GetProperty("access_token").GetString()!;
Console.WriteLine(await Send(() => NewApplication(token)));
